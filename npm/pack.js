'use strict';

// Packs the main package, and the program as the package of a platform, with the version of the workspace.
// usage: node npm/pack.js <program> <folder for the packages> [<platform, such as linux-x64>]

const { execFileSync } = require('node:child_process');
const { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');

const [program, folder, platform = `${process.platform}-${process.arch}`] = process.argv.slice(2);
const root = join(__dirname, '..');
const version = readFileSync(join(root, 'Cargo.toml'), 'utf8').match(/^version = "(.*)"$/m)[1];

const pack = (manifest, files) => {
  const place = mkdtempSync(join(folder, 'pack-'));
  for (const file of [...files, join(root, 'LICENSE-MIT'), join(root, 'LICENSE-APACHE')]) {
    copyFileSync(file, join(place, basename(file)));
  }
  writeFileSync(join(place, 'package.json'), JSON.stringify({ ...manifest, version }, null, 2));
  // On Windows, npm is a script of the shell.
  execFileSync('npm', ['pack', '--silent', '--pack-destination', '..'], { cwd: place, shell: process.platform === 'win32' });
  rmSync(place, { recursive: true });
};

const main = JSON.parse(readFileSync(join(__dirname, 'package.json'), 'utf8'));
const name = `@extractable-rs/${platform}`;
if (!(name in main.optionalDependencies)) throw new Error(`no package for ${platform}`);
for (const each of Object.keys(main.optionalDependencies)) main.optionalDependencies[each] = version;
mkdirSync(folder, { recursive: true });
pack(main, [join(__dirname, 'extractable.js'), join(__dirname, 'README.md')]);
const [os, cpu] = platform.split('-');
const { description, license, repository } = main;
// Programs of releases are linked with the GNU library of C.
const libc = os === 'linux' ? ['glibc'] : undefined;
pack({ name, description: `${description}, for ${platform}`, license, repository, os: [os], cpu: [cpu], libc }, [program]);
