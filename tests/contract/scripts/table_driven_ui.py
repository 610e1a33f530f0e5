# A row of buttons made from a table, behind one component with an extension and custom parameters.
n = me.parent()
deck = n.create(containerCOMP, 'deck')
deck.par.w, deck.par.h = 400, 60

page = deck.appendCustomPage('Deck')
scene = page.appendMenu('Scene', label='Scene')[0]
speed = page.appendFloat('Speed', label='Speed')[0]
speed.default = 1
speed.min, speed.max = 0, 4
speed.clampMin = speed.clampMax = True
speed.val = speed.default
page.appendRGB('Tint', label='Tint')
page.appendPulse('Next', label='Next')

cues = deck.create(tableDAT, 'cues')
cues.clear()
cues.appendRow(['name', 'label', 'speed'])
cues.appendRows([['intro', 'Intro', 0.5], ['verse', 'Verse', 1], ['drop', 'The Drop', 3.5]])

scene.menuNames = [c.val for c in cues.col('name')[1:]]
scene.menuLabels = [c.val for c in cues.col('label')[1:]]

ext = deck.create(textDAT, 'DeckExt')
ext.text = '''
class DeckExt:
    """Plays the cues of a table."""

    def __init__(self, ownerComp):
        self.ownerComp = ownerComp
        self.Played = tdu.Dependency(0)

    @property
    def Cues(self):
        return self.ownerComp.op('cues')

    def Go(self, name):
        row = self.Cues.row(name)
        if not row:
            return False
        self.ownerComp.par.Scene = name
        self.ownerComp.par.Speed = float(self.Cues[name, 'speed'])
        self.Played.val += 1
        return True

    def Next(self):
        names = [c.val for c in self.Cues.col('name')[1:]]
        here = names.index(self.ownerComp.par.Scene.eval())
        return self.Go(names[(here + 1) % len(names)])

    def Build(self):
        for old in self.ownerComp.findChildren(type=buttonCOMP, depth=1):
            old.destroy()
        for i in range(1, self.Cues.numRows):
            button = self.ownerComp.create(buttonCOMP, 'button_' + self.Cues[i, 'name'].val)
            button.par.w.expr = 'parent().width / (op("../cues").numRows - 1)'
            button.nodeY = -i * 150
            button.tags.add('cue')
            button.comment = self.Cues[i, 'label'].val
'''
deck.par.ext0object = "op('./DeckExt').module.DeckExt(me)"
deck.par.ext0promote = True
deck.par.parentshortcut = 'Deck'
deck.Build()

watch = deck.create(parameterexecuteDAT, 'watch')
watch.par.op = deck
watch.par.pars = 'Next Speed'
watch.par.active = True
watch.par.custom = True
watch.par.valuechange = True
watch.par.onpulse = True
watch.text = '''
def onValueChange(par, prev):
    parent.Deck.store('last', (par.name, round(par.eval(), 3), round(prev, 3)))

def onPulse(par):
    if par.name == 'Next':
        parent.Deck.Next()
'''

readout = deck.create(textTOP, 'readout')
readout.par.text.expr = "'{} x{}'.format(parent.Deck.par.Scene.menuLabels[parent.Deck.par.Scene.menuIndex], parent.Deck.Played.val)"
deck.Go('verse')
