# The classic feedback trail: what was there fades and grows, the new picture goes on top.
n = me.parent()

def put(kind, name, x, y, **pars):
    o = n.create(kind, name)
    o.nodeX, o.nodeY = x, y
    for key, value in pars.items():
        setattr(o.par, key, value)
    return o

dot = put(circleTOP, 'dot', 0, 0, radiusx=0.1, radiusy=0.1, outputresolution='custom', resolutionw=64, resolutionh=64)
dot.par.centerx.expr = '0.3 * math.cos(absTime.frame * 0.2)'
dot.par.centery.expr = '0.3 * math.sin(absTime.frame * 0.2)'

fb = put(feedbackTOP, 'feedback1', 200, 150)
fade = put(levelTOP, 'fade', 400, 150, opacity=0.9)
grow = put(transformTOP, 'grow', 600, 150, sx=1.02, sy=1.02)
mix = put(compositeTOP, 'mix', 800, 0, operand='maximum')
out = put(nullTOP, 'trail', 1000, 0)

dot.outputConnectors[0].connect(fb)
fb.outputConnectors[0].connect(fade)
fade.outputConnectors[0].connect(grow)
mix.inputConnectors[0].connect(dot)
mix.inputConnectors[1].connect(grow)
out.inputConnectors[0].connect(mix)
fb.par.top = mix
