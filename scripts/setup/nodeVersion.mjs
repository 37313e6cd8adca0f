// First import of every entry point: an old Node gets a sentence before it meets syntax or modules that it does not have.
import process from 'node:process';

const wanted = [20, 17];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < wanted[0] || (major === wanted[0] && minor < wanted[1])) {
  process.stderr.write(`Moire needs Node ${wanted.join('.')} or newer; this is ${process.version}. Install a current Node from https://nodejs.org or your package manager.\n`);
  process.exit(1);
}
