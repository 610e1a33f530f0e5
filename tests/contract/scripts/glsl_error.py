# A shader with a mistake: the operator says nothing, the Info DAT does. Then the mistake is mended.
n = me.parent()
source = n.create(constantTOP, 'red')
source.par.colorr, source.par.colorg, source.par.colorb = 1, 0, 0

glsl = n.create(glslTOP, 'shader')
glsl.inputConnectors[0].connect(source)
pixel = n.op('shader_pixel')
pixel.text = '''
uniform float uAmount;
out vec4 fragColor;
void main()
{
    vec4 color = texture(sTD2DInputs[0], vUV.st)
    fragColor = TDOutputSwizzle(color * uAmount);
}
'''

def mend():
    pixel.text = pixel.text.replace('vUV.st)\n', 'vUV.st);\n')

run('args[0]()', mend, delayFrames=90)
