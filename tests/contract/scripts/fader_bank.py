# A bank of faders: one per row of a table, copied from a master, listened to as panels, read back as one CHOP.
n = me.parent()

config = n.create(tableDAT, 'config')
config.clear()
config.appendRow(['name', 'default', 'color'])
for row in (('red', 0.2, '1 0 0'), ('green', 0.4, '0 1 0'), ('blue', 0.6, '0 0 1')):
    config.appendRow(row)

master = n.create(containerCOMP, 'master')
master.par.w, master.par.h = 40, 200
page = master.appendCustomPage('Fader')
page.appendFloat('Level', label='Level')
page.appendStr('Name', label='Name')
master.par.Level.normMin, master.par.Level.normMax = 0, 1

knob = master.create(sliderCOMP, 'knob')
level = master.create(constantCHOP, 'level')
level.par.const0name.expr = 'parent().par.Name.eval() or "level"'
level.par.const0value.bindExpr = 'parent().par.Level'
out = master.create(outCHOP, 'out1')
out.inputConnectors[0].connect(level)

bank = n.create(baseCOMP, 'bank')
bank.storage['presets'] = {}
bank.store('history', [])

ext = bank.create(textDAT, 'BankExt')
ext.text = '''
class BankExt:
    def __init__(self, ownerComp):
        self.ownerComp = ownerComp
        self.config = ownerComp.parent().op('config')
        self.master = parent(2).op('master')

    @property
    def Faders(self):
        return sorted((o for o in self.ownerComp.children if 'fader' in o.tags), key=lambda o: o.digits)

    def Rebuild(self):
        for old in self.Faders:
            old.destroy()
        merge = self.ownerComp.op('merge') or self.ownerComp.create(mergeCHOP, 'merge')
        for i, name in enumerate(c.val for c in self.config.col('name')[1:]):
            fader = self.ownerComp.copy(self.master, name='fader{}'.format(i + 1))
            fader.tags.add('fader')
            fader.nodeX, fader.nodeY = i * 200, 200
            fader.color = [float(v) for v in self.config[name, 'color'].val.split()]
            fader.par.Name = name
            fader.par.Level = self.config[name, 'default']
            merge.inputConnectors[i].connect(fader)
        return len(self.Faders)

    def Save(self, preset):
        self.ownerComp.storage['presets'][preset] = {f.par.Name.eval(): f.par.Level.eval() for f in self.Faders}

    def Recall(self, preset):
        for f in self.Faders:
            f.par.Level = self.ownerComp.fetch('presets')[preset][f.par.Name.eval()]

    def OnKnob(self, panelValue, prev):
        fader = panelValue.owner.parent()
        fader.par.Level = panelValue.val
        self.ownerComp.fetch('history').append((fader.name, round(float(panelValue), 3)))
'''
bank.par.ext0object = "op('./BankExt').module.BankExt(me)"
bank.par.ext0promote = True
bank.par.opshortcut = 'ContractBank'
op.ContractBank.Rebuild()

listen = bank.create(panelexecuteDAT, 'listen')
listen.text = '''
def onOffToOn(panelValue):
    op.ContractBank.OnKnob(panelValue, 0)

def onValueChange(panelValue, prev):
    op.ContractBank.OnKnob(panelValue, prev)
'''
listen.par.panels = 'fader*/knob'
listen.par.panelvalue = 'u'
listen.par.offtoon = listen.par.valuechange = True
listen.par.active = True

mix = n.create(constantTOP, 'mix')
for channel, par in zip(('red', 'green', 'blue'), mix.pars('color[rgb]')):
    par.expr = "op('bank/merge')['{}']".format(channel)
