# Script operators: a channel of numbers and a table, made by Python whenever they cook.
n = me.parent()

chop = n.create(scriptCHOP, 'wave')
n.op('wave_callbacks') or n.create(textDAT, 'wave_callbacks')
n.op('wave_callbacks').text = '''
def onSetupParameters(scriptOp):
    page = scriptOp.appendCustomPage('Custom')
    p = page.appendFloat('Height', label='Height')
    p[0].default = 2
    p[0].val = 2

def onCook(scriptOp):
    scriptOp.clear()
    scriptOp.numSamples = 4
    c = scriptOp.appendChan('tx')
    c.vals = [0, 1, 2, 3]
    s = scriptOp.appendChan('size')
    for i in range(scriptOp.numSamples):
        s[i] = i * 10
'''
chop.par.callbacks = 'wave_callbacks'

dat = n.create(scriptDAT, 'report')
n.op('report_callbacks') or n.create(textDAT, 'report_callbacks')
n.op('report_callbacks').text = '''
def onCook(scriptOp):
    scriptOp.clear()
    scriptOp.appendRow(['channel', 'last'])
    for c in op('wave').chans():
        scriptOp.appendRow([c.name, c[-1]])
'''
dat.par.callbacks = 'report_callbacks'

pick = n.create(selectDAT, 'pick')
pick.par.dat = dat
