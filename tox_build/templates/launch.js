// Starts the shim with a Python that is already there: TouchDesigner's own, before any other.
//
// Claude Desktop brings Node but no Python, and starts us with the PATH of the desktop, which has little in it. It may
// run this file inside one of its own processes, whose standard streams are no real files: hence pipes, not "inherit".
'use strict'

const { spawn } = require('child_process')
const fs = require('fs')
const os = require('os')
const path = require('path')

const OWN = path.join(__dirname, 'stdio_shim')
const HOME = process.env.TDMCP_HOME || path.join(os.homedir(), '.tdmcp')

/** A value from the extension's settings; a host may leave the placeholder of an empty one as it is. */
function setting (name) {
  const value = (process.env[name] || '').trim()
  return value.startsWith('${') ? '' : value
}

function list (folder) {
  try {
    return fs.readdirSync(folder).sort().reverse()
  } catch {
    return []
  }
}

/** The Pythons of TouchDesigners that run now, as the registry has them. */
function running () {
  const folder = path.join(HOME, 'instances')
  return list(folder).filter(name => name.endsWith('.json')).map(name => {
    try {
      return String(JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')).python || '')
    } catch {
      return ''
    }
  })
}

/** The Pythons of TouchDesigners in the usual places, newest name first. */
function installed () {
  if (process.platform === 'win32') {
    const root = path.join(process.env.ProgramFiles || 'C:\\Program Files', 'Derivative')
    return list(root).filter(name => name.startsWith('TouchDesigner'))
      .map(name => path.join(root, name, 'bin', 'python.exe'))
  }
  if (process.platform !== 'darwin') return []
  const found = []
  for (const root of ['/Applications', path.join(os.homedir(), 'Applications')]) {
    for (const app of list(root).filter(name => /^TouchDesigner.*\.app$/.test(name))) {
      const versions = path.join(root, app, 'Contents', 'Frameworks', 'Python.framework', 'Versions')
      for (const version of list(versions).filter(name => /^3\.\d+$/.test(name))) {
        found.push(path.join(versions, version, 'bin', 'python' + version))
      }
    }
  }
  return found
}

/** Pythons that others have installed. On a Mac without developer tools /usr/bin/python3 only opens a dialog. */
function others () {
  if (process.platform === 'win32') return []
  const folders = (process.env.PATH || '').split(path.delimiter)
    .concat('/opt/homebrew/bin', '/usr/local/bin', process.platform === 'darwin' ? [] : '/usr/bin')
  return folders.filter(Boolean).filter(folder => process.platform !== 'darwin' || folder !== '/usr/bin')
    .map(folder => path.join(folder, 'python3'))
}

/**
 * The folder of the shim to start: a copy in the home. Windows shows this bundle to the host's package alone, and Python,
 * which belongs to no package, may not find it. The bundle's own where no copy can be made, or others could change it.
 */
function shim () {
  const folder = path.join(HOME, 'shim', 'bundle', 'stdio_shim')
  const file = path.join(folder, '__main__.py')
  const part = path.join(folder, '.__main__.py.' + process.pid + '.part')
  try {
    const wanted = fs.readFileSync(path.join(OWN, '__main__.py'))
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (process.getuid) {
      for (const place of [HOME, path.dirname(path.dirname(folder)), path.dirname(folder), folder]) {
        const facts = fs.statSync(place)
        if (facts.uid !== process.getuid() || facts.mode & 0o022) return OWN
      }
    }
    if (!fs.existsSync(file) || !fs.readFileSync(file).equals(wanted)) {
      fs.writeFileSync(part, wanted, { mode: 0o600 })
      fs.renameSync(part, file)
    }
    return folder
  } catch {
    try { fs.rmSync(part, { force: true }) } catch {}
    return OWN
  }
}

function find () {
  const candidates = [setting('TDMCP_PYTHON'), ...running(), ...installed(), ...others()]
  return candidates.find(file => file && fs.existsSync(file))
}

function main () {
  const python = find()
  if (!python) {
    console.error('tdmcp: TouchDesigner was not found. Start it once with the component, or name its python in the ' +
      'settings of this extension.')
    process.exit(1)
  }
  const instance = setting('TDMCP_INSTANCE')
  // A folder, since Python keeps its compiled form; without site-packages and the user's variables.
  const child = spawn(python, ['-I', '-S', shim(), ...(instance ? ['--instance', instance] : [])],
    { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true, env: { ...process.env, TDMCP_HOME: HOME } })
  process.stdin.pipe(child.stdin)
  child.stdout.pipe(process.stdout)
  child.stderr.pipe(process.stderr)
  child.stdin.on('error', () => {}) // it has ended; its exit code follows
  child.on('error', error => {
    console.error('tdmcp: ' + python + ' cannot be started: ' + error.message)
    process.exit(1)
  })
  child.on('close', code => process.exit(code === null ? 1 : code))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill())
}

main()
