# Twelve boxes on a ring, placed by a table, looked at by a camera.
import math

n = me.parent()
ring = n.create(tableDAT, 'ring')
ring.clear()
ring.appendRow(['tx', 'ty', 'tz', 'ry', 'scale'])
COUNT = 12
for i in range(COUNT):
    angle = 2 * math.pi * i / COUNT
    ring.appendRow([round(math.cos(angle), 4), 0, round(math.sin(angle), 4), round(math.degrees(angle), 2), 0.2])

places = n.create(dattoCHOP, 'places')
places.par.dat = ring
places.par.firstrow = 'names'
places.par.firstcolumn = 'values'
places.par.output = 'chanpercol'

geo = n.create(geometryCOMP, 'boxes')
for child in geo.children:
    child.destroy()
box = geo.create(boxSOP, 'box1')
box.par.sizex = box.par.sizey = box.par.sizez = 0.2
box.display = box.render = True

geo.par.instancing = True
geo.par.instanceop = places
geo.par.instancetx = 'tx'
geo.par.instancety = 'ty'
geo.par.instancetz = 'tz'
geo.par.instancery = 'ry'

mat = n.create(phongMAT, 'paint')
mat.par.diffr, mat.par.diffg, mat.par.diffb = 0.9, 0.4, 0.1
geo.par.material = mat

cam = n.create(cameraCOMP, 'cam1')
cam.par.tz = 4
cam.par.lookat = geo
light = n.create(lightCOMP, 'light1')
light.par.ty = 3

render = n.create(renderTOP, 'render1')
render.par.camera = cam
render.par.geometry = geo
render.par.lights = light
render.par.outputresolution = 'custom'
render.par.resolutionw, render.par.resolutionh = 640, 360
