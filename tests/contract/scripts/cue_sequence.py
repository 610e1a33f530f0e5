# A sequence of cues: a timer with segments tells its callbacks, which look up a table and move a box by a matrix.
n = me.parent()

cues = n.create(tableDAT, 'cues')
cues.clear()
cues.appendRows([['length', 'delay', 'look', 'x'], [0.8, 0, 'warm', 1], [0.8, 0.05, 'cold', -2]])

looks = n.create(tableDAT, 'looks')
looks.clear()
looks.appendRows([['path', 'parameter', 'value'], ['sky', 'colorr', 0], ['sky', 'colorb', 0]])
sky = n.create(constantTOP, 'sky')
looks.export = True

box = n.create(geometryCOMP, 'box')
for o in box.children:
    o.destroy()
cube = box.create(boxSOP)
cube.render = cube.display = True

callbacks = n.create(textDAT, 'callbacks')
callbacks.text = '''
def onSegmentEnter(timerOp, segment, interrupt):
    cue = parent().op('cues')
    look = cue[segment + 1, 'look'].val
    warm = look == 'warm'
    table = parent().op('looks')
    table['sky', 'value'] = 1 if warm else 0
    table[2, 'value'] = 0 if warm else 1
    m = tdu.Matrix()
    m.rotate(0, 90, 0)
    m.translate(float(cue[segment + 1, 'x']), 0, 0)
    p = m * tdu.Position(0, 0, 1)
    parent().op('box').par.tx, parent().op('box').par.ty, parent().op('box').par.tz = p.x, p.y, p.z
    parent().store('seen', parent().fetch('seen', []) + [look])

def onDone(timerOp, segment, interrupt):
    parent().store('seen', parent().fetch('seen', []) + ['done'])
'''

timer = n.create(timerCHOP, 'timer')
timer.par.segdat = cues
timer.par.callbacks = callbacks
timer.par.outseg = True

flag = n.create(opexecuteDAT, 'watch')
flag.par.op = 'box'
flag.par.flagchange = True
flag.par.active = True
flag.text = '''
def onFlagChange(changeOp, flag):
    parent().store('flags', parent().fetch('flags', []) + [(changeOp.name, flag)])
'''
timer.par.start.pulse()
