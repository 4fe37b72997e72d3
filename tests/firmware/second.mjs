// Runs a firmware on a second emulator, which has one core and a serial line with both directions: `rp2040js`.
//
// node second.mjs MODULE FIRMWARE.uf2: lines of the standard input go to the console one by one, its answers come out.

import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [library, firmware] = process.argv.slice(2);
const { RP2040 } = await import(pathToFileURL(library));

const FLASH = 0x10000000;
// What the processor starts from, behind the second-stage boot code; there is no boot ROM.
const VECTORS = FLASH + 0x100;
// Instructions that an answer may take.
const PATIENCE = 2_000_000_000;

const chip = new RP2040();
chip.logger = { debug() {}, info() {}, warn() {}, error() {} };
const image = readFileSync(firmware);
for (let at = 0; at < image.length; at += 512) {
  const payload = image.subarray(at + 32, at + 32 + image.readUInt32LE(at + 16));
  chip.flash.set(payload, image.readUInt32LE(at + 12) - FLASH);
}

// It has no queues between cores. Who starts core 1 finds one that never understands.
const [STATUS, WRITE, READ] = [0x50, 0x54, 0x58];
const sio = { read: chip.sio.readUint32.bind(chip.sio), write: chip.sio.writeUint32.bind(chip.sio) };
let answered = false;
chip.sio.readUint32 = (offset) => {
  if (offset === STATUS) return answered ? 3 : 2;
  if (offset !== READ) return sio.read(offset);
  answered = false;
  return 0xffffffff;
};
chip.sio.writeUint32 = (offset, value) => {
  if (offset === WRITE) answered = true;
  else if (offset !== STATUS) sio.write(offset, value);
};

let heard = '';
chip.uart[0].onByte = (byte) => (heard += String.fromCharCode(byte));
chip.core.VTOR = VECTORS;
chip.core.reset();

/** Runs until a whole line satisfies; gives all lines up to it. */
function listen(last) {
  for (let step = 0; step < PATIENCE; step += 1) {
    chip.core.executeInstruction();
    if (step % 1024 === 0 && heard.endsWith('\n') && heard.trimEnd().split('\n').some(last)) {
      const lines = heard;
      heard = '';
      return lines;
    }
  }
  throw new Error(`no answer; so far: ${heard}`);
}

writeSync(1, listen((line) => line.startsWith('murmuration')));
for (const line of readFileSync(0, 'utf8').split('\n').filter((line) => line !== '')) {
  for (const byte of Buffer.from(line + '\n')) {
    chip.uart[0].feedByte(byte);
    // The time of a byte on the line, more or less.
    for (let step = 0; step < 4000; step += 1) chip.core.executeInstruction();
  }
  writeSync(1, listen((answer) => /^(ok|error: .*|fatal: .*)\r?$/.test(answer)));
}
// The chip's timers would keep the program alive.
process.exit(0);
