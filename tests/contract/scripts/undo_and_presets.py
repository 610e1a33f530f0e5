# A tool for artists: line up what is selected, colour it by family, all in one undo step.
n = me.parent()
made = [n.create(kind) for kind in (noiseTOP, levelTOP, lfoCHOP, nullCHOP, tableDAT)]
made[0].outputConnectors[0].connect(made[1])
made[2].outputConnectors[0].connect(made[3])
for o in made:
    o.selected = True

COLOURS = {'TOP': (0.4, 0.4, 0.8), 'CHOP': (0.3, 0.7, 0.3), 'DAT': (0.7, 0.5, 0.7)}

def tidy(comp):
    """Left to right in the order of the wires, one row for each family."""
    rows = {}
    for o in comp.selectedChildren:
        rows.setdefault(o.family, []).append(o)
    for y, (family, ops_) in enumerate(sorted(rows.items())):
        for x, o in enumerate(sorted(ops_, key=lambda o: len(o.inputs))):
            o.nodeX, o.nodeY = x * 200, -y * 150
            o.color = COLOURS[family]

ui.undo.startBlock('Tidy selection')
tidy(n)
ui.undo.endBlock()
