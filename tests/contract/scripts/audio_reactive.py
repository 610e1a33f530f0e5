# A circle that pulses with the sound: source, band, level, smoothing, one number.
# Put this in a Text DAT and run it; everything is made beside the DAT.
base = me.parent()

osc = base.create(audiooscillatorCHOP, 'sound')
osc.par.frequency = 110
osc.nodeX, osc.nodeY = 0, 200

low = base.create(audiofilterCHOP, 'low_band')
low.par.filter = 'lowpass'
low.inputConnectors[0].connect(osc)

rms = base.create(analyzeCHOP, 'loudness')
rms.par.function = 'rmspower'
rms.inputConnectors[0].connect(low)

gain = base.create(mathCHOP, 'gain')
gain.par.gain = 0.5
gain.inputConnectors[0].connect(rms)

smooth = base.create(lagCHOP, 'smooth')
smooth.par.lag1 = 0.1
smooth.par.lag2 = 0.3
smooth.inputConnectors[0].connect(gain)

out = base.create(nullCHOP, 'level')
out.inputConnectors[0].connect(smooth)

circle = base.create(circleTOP, 'circle1')
circle.par.outputresolution = 'custom'
circle.par.resolutionw = circle.par.resolutionh = 128
circle.par.radiusx.expr = "0.05 + op('level')[0] * 0.5"
circle.par.radiusy.expr = "me.par.radiusx"

blur = base.create(blurTOP, 'glow')
blur.par.size = 4
circle.outputConnectors[0].connect(blur)

picture = base.create(nullTOP, 'picture')
picture.inputConnectors[0].connect(blur)

for i, o in enumerate([osc, low, rms, gain, smooth, out]):
    o.nodeX, o.nodeY = i * 150, 200
for i, o in enumerate([circle, blur, picture]):
    o.nodeX, o.nodeY = i * 150, 0
