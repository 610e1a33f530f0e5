"""Operator types that run code or reach outside the project, with the reason, and all the others.

Level *edit* shapes a project; the types here let it see, write or send what is not part of the project, or run code.
Every type of the catalogue is in one of the three lists (a test walks them). A type that is in none is newer than
this list, or a plug-in: it is refused until somebody has looked.
"""

from __future__ import annotations

import re

#: Why a type reaches outside the project -> the types.
_OUTSIDE = {
    "reads what is on this machine's screen": "screengrabTOP",
    "reads keyboard, mouse or another input device": "keyboardinCHOP keyboardinDAT mouseinCHOP tabletCHOP joystickCHOP multitouchinDAT",
    "moves the mouse of this machine": "mouseoutCHOP",
    "reads a camera, a microphone or a sensor": (
        "audiodeviceinCHOP videodeviceinTOP kinectCHOP kinectTOP kinectSOP kinectazureCHOP kinectazureTOP "
        "leapmotionCHOP leapmotionTOP realsenseTOP oakdeviceCHOP orbbecTOP ousterTOP sickTOP hokuyoCHOP "
        "leuzerod4CHOP zedCHOP zedTOP zedSOP zedPOP openvrCHOP openvrTOP openvrSOP oculusriftCHOP oculusriftTOP "
        "oculusriftSOP oculusaudioCHOP bodytrackCHOP facetrackCHOP facetrackSOP"
    ),
    "plays on a device of this machine": "audiodeviceoutCHOP videodeviceoutTOP directdisplayoutTOP audioplayCHOP",
    "drives a device": "laserdeviceCHOP pangolinCHOP etherdreamDAT dmxoutCHOP dmxoutPOP midioutCHOP st2110deviceCHOP",
    "listens to a device": "midiinCHOP midiinmapCHOP midiinDAT midieventDAT dmxinCHOP serialCHOP serialDAT",
    "lists devices of this machine": "audiodevicesDAT videodevicesDAT serialdevicesDAT monitorsDAT artnetDAT",
    "listens to the network": (
        "syncinCHOP oscinCHOP oscinDAT udpinDAT udtinDAT tuioinDAT touchinCHOP touchinTOP touchinDAT ndiinTOP "
        "ndiDAT audiondiCHOP st2110inTOP renderstreaminTOP renderstreaminCHOP optitrackinCHOP blacktraxCHOP "
        "freedinCHOP stypeinCHOP stypeTOP mosysCHOP mosysTOP ncamCHOP ncamTOP posistagenetCHOP abletonlinkCHOP "
        "photoshopinTOP"
    ),
    "sends over the network": (
        "syncoutCHOP oscoutCHOP oscoutDAT udpoutDAT udtoutDAT touchoutCHOP touchoutTOP touchoutDAT ndioutTOP "
        "st2110outTOP renderstreamoutTOP freedoutCHOP stypeoutCHOP"
    ),
    "opens connections over the network": (
        "pipeinCHOP pipeoutCHOP tcpipDAT mqttclientDAT socketioDAT webDAT webclientDAT webrtcDAT webserverDAT "
        "websocketDAT webrenderTOP audiowebrenderCHOP"
    ),
    "streams over the network": "audiostreaminCHOP audiostreamoutCHOP videostreaminTOP videostreamoutTOP",
    "shares memory with other programs": (
        "sharedmeminCHOP sharedmeminTOP sharedmeminCOMP sharedmemoutCHOP sharedmemoutTOP sharedmemoutCOMP "
        "directxinTOP directxoutTOP syphonspoutinTOP syphonspoutoutTOP"
    ),
    "writes files": "audiofileoutCHOP fileoutCHOP fileoutDAT fileoutPOP moviefileoutTOP alembicoutPOP captureSOP",
    "lists folders of this machine": "folderDAT",
    "runs another program or process": "engineCOMP",
    "loads plug-ins or programs": "audiovstCHOP notchTOP cplusplusCHOP cplusplusDAT cplusplusPOP cplusplusSOP cplusplusTOP",
    "takes processor time from TouchDesigner on purpose": "hogCHOP",
    "opens a window on this machine": "windowCOMP",
}

#: Types that run code: texts, callbacks, expressions in cells, components loaded while the project runs.
_CODE = (
    "clipCHOP clipDAT clipblenderCHOP errorDAT evaluateDAT examineDAT expressionCHOP fifoDAT insertDAT opfindDAT "
    "performDAT renderpickDAT replicatorCOMP "
)
_CODE_NAME = re.compile(r"(execute|script|cplusplus)", re.IGNORECASE)

#: Types of devices and networks that call the functions of a DAT as well.
_CALLING = (
    "artnetDAT audiodevicesDAT engineCOMP etherdreamDAT keyboardinDAT midieventDAT midiinDAT monitorsDAT "
    "mqttclientDAT multitouchinDAT ndiDAT oscinDAT oscoutDAT pipeinCHOP pipeoutCHOP serialCHOP serialDAT "
    "serialdevicesDAT socketioDAT tcpipDAT touchinCHOP touchinDAT touchinTOP tuioinDAT udpinDAT udpoutDAT udtinDAT "
    "udtoutDAT videodevicesDAT webDAT webclientDAT webrenderTOP webrtcDAT webserverDAT websocketDAT "
)

#: All the rest of the catalogue, by family, names without it: pictures, channels, geometry, texts and components that
#: stay within the project.
_INSIDE = {
    "TOP": (
        "add analyze antialias blobtrack bloom blur cache cacheselect channelmix chopto chromakey circle composite "
        "constant convolve cornerpin crop cross cubemap depth difference displace edge emboss feedback fit flip "
        "function glsl glslmulti hsvadjust hsvtorgb importselect in inside kinectazureselect layermix layout "
        "lensdistort level limit lookup lumablur lumalevel math matte mirror monochrome moviefilein mpcdi multiply "
        "noise normalmap null nvidiabackground nvidiadenoise nvidiaflex nvidiaflow nvidiartxvideo nvidiaupscaler "
        "oakselect opencolorio opticalflow opviewer orbbecselect ousterselect out outside over pack pointfilein "
        "pointfileselect pointtransform popto prefiltermap projection ramp rectangle remap render renderpass "
        "renderselect rendersimple reorder resolution rgbkey rgbtohsv scalabledisplay screen select slope spectrum "
        "ssao substance substanceselect subtract switch text texture3d threshold tile timemachine tonemap "
        "transform under vioso zedselect "
    ),
    "CHOP": (
        "analyze angle attribute audiobandeq audiobinaural audiodynamics audiofilein audiofilter audiomovie "
        "audiooscillator audioparaeq audiorender audiospectrum beat bind blend blobtrack bulletsolver clock "
        "composite constant copy count cross cycle datto delay delete envelope event extend fan feedback filein "
        "filter function gesture handle hold importselect in info interpolate inversecurve inversekin join "
        "keyframe lag laser lfo limit logic lookup ltcin ltcout math merge noise null oakselect object out "
        "override panel pantilt parameter pattern perform phaser popto pulse record rename renderpick reorder "
        "replace resample scurve select sequencer shift shuffle slope sopto sort speed splice spring stretch "
        "switch timecode timeline timer timeslice topto trail transform transformxyz trigger trim warp wave "
    ),
    "SOP": (
        "add alembic align arm attribute attributecreate basis blend bonegroup boolean box bridge cache cap "
        "captureregion carve chopto circle clay clip convert copy creep curveclay curvesect datto deform delete "
        "divide extrude facet filein fillet fit force fractal grid group hole importselect in inversecurve "
        "isosurface join joint lattice limit line linethick lod lsystem magnet material merge metaball model noise "
        "null objectmerge out particle point polyloft polypatch polyreduce polyspline polystitch popto primitive "
        "profile project rails raster ray rectangle refine resample revolve select sequenceblend skin sort sphere "
        "spring sprinkle sprite stitch subdivide superquad surfsect sweep switch text texture torus trace trail "
        "transform trim tristrip tube twist vertex wireframe "
    ),
    "POP": (
        "accumulate alembicin analyze attribute attributecombine attributeconvert blend box cache cacheblend "
        "cacheselect chopto circle connectivity convert copy curve datto delete dimension dmxfixture extrude facet "
        "feedback field filein forceradial glsl glsladvanced glslcopy glslselect grid group histogram importselect "
        "in limit line linebreak linedivide linemetrics lineresample linesmooth lookupattribute lookupchannel "
        "lookuptexture math mathcombine mathmix merge neighbor noise normal normalize null oakselect out particle "
        "pattern phaser plane point pointfilein pointgenerator polygonize primitive projection proximity quantize "
        "random ray rectangle rerange revolve select skin skindeform sopto sort sphere sprinkle subdivide switch "
        "text texturemap topology topto torus trace trail transform triangulate trig tube twist "
    ),
    "DAT": (
        "chopto convert dmxmap filein in info json lookup mediafileinfo merge mpcdi null out parameter popto "
        "reorder select sopto sort substitute switch table text transpose xml "
    ),
    "MAT": ("constant depth glsl in line null out pbr phong pointsprite select switch wireframe "),
    "COMP": (
        "actor ambientlight animation annotate base blend bone bulletsolver button camera camerablend constraint "
        "container environmentlight fbx field force geometry geotext glsl handle light list null nvidiaflexsolver "
        "nvidiaflowemitter opviewer parameter select slider table text time usd widget "
    ),
}

OUTSIDE: dict[str, str] = {name: why for why, names in _OUTSIDE.items() for name in names.split()}
EXECUTORS = frozenset(_CODE.split()) | frozenset(_CALLING.split())
INSIDE = frozenset(stem + family for family, stems in _INSIDE.items() for stem in stems.split())


def is_executor(type_name: str) -> bool:
    """Whether operators of this type exist to run code."""
    return type_name in EXECUTORS or _CODE_NAME.search(type_name) is not None


def reason(type_name: str) -> str | None:
    """Why a type reaches outside the project, to follow the type's name in a sentence; None if it does not."""
    return OUTSIDE.get(type_name)


def is_unknown(type_name: str) -> bool:
    """Whether nobody has classified the type: it is newer than this list, or a plug-in."""
    return not (type_name in INSIDE or type_name in OUTSIDE or is_executor(type_name))
