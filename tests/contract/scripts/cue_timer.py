# A show that runs by itself: a timer, callbacks on channels, delayed scripts, presets in storage.
n = me.parent()
n.store('log', [])
n.store('presets', {'calm': {'period': 8, 'amp': 0.2}, 'wild': {'period': 0.5, 'amp': 1}})

noise = n.create(noiseTOP, 'picture')

def recall(name):
    for key, value in n.fetch('presets')[name].items():
        n.op('picture').par[key].val = value
    n.fetch('log').append(name)

recall('calm')

trigger = n.create(constantCHOP, 'trigger')
trigger.par.const0name = 'go'
trigger.par.const0value = 0

reaction = n.create(chopexecuteDAT, 'reaction')
reaction.par.chop = trigger
reaction.par.active = True
reaction.par.offtoon = True
reaction.par.valuechange = False
reaction.text = '''
def onOffToOn(channel, sampleIndex, val, prev):
    parent().fetch('log').append(channel.name)
    run("op('picture').par.amp = args[0]", 0.75, delayFrames=2, fromOP=me)
'''

run("parent().op('trigger').par.const0value = 1", delayFrames=3, fromOP=me)
run('args[0](args[1])', recall, 'wild', delayFrames=120)
