#!/usr/bin/env node
'use strict';

// Runs the program in the package of this platform, which npm installed beside this one.

const { spawn } = require('node:child_process');

const name = `@extractable-rs/${process.platform}-${process.arch}`;
const ended = (message) => {
  console.error(`extractable: ${message}; see https://github.com/extractable-rs/extractable/releases for other ways`);
  process.exit(127);
};

let program;
try {
  program = require.resolve(`${name}/extractable${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  ended(`the package \`${name}\` is not installed: there is none for this platform, or npm left out optional ones`);
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends Ctrl-C to the program too, which lets requests finish after the first one.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('error', (error) => ended(error.message));
child.on('exit', (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
