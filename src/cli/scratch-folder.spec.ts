import { spawnSync } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { inScratchFolder } from './scratch-folder.js';

let temporary: string;
let before: string | undefined;
beforeEach(() => {
  before = process.env['TMPDIR'];
  temporary = mkdtempSync(join(tmpdir(), 'scratch-folder-'));
  process.env['TMPDIR'] = temporary;
});
afterEach(() => {
  jest.restoreAllMocks();
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(temporary, { recursive: true, force: true });
});

const endedPid = () => spawnSync(process.execPath, ['--version']).pid;
const write = (folder: string) => writeFileSync(join(folder, 'read.db'), 'a row in the clear');

describe('a scratch folder', () => {
  it('is deleted after the work, also if that fails', async () => {
    expect(await inScratchFolder(async (folder) => [write(folder), existsSync(folder)][1])).toBe(true);
    const failing = inScratchFolder(async (folder) => {
      write(folder);
      throw new Error('No.');
    });
    await expect(failing).rejects.toThrow('No.');
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('is deleted if %s ends the process', async (signal) => {
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    await inScratchFolder(async (folder) => {
      write(folder);
      const emitter: EventEmitter = process;
      emitter.emit(signal, signal, constants.signals[signal]);
      expect(existsSync(folder)).toBe(false);
    });
    expect(exit.mock.calls).toEqual([[128 + constants.signals[signal]]]);
  });

  it('is deleted by the next one if its process was killed, but no folder of another process', async () => {
    const names = [
      `countersign-verify-${endedPid()}-a`,
      `countersign-verify-${process.pid}-b`,
      'countersign-verify-Xyz',
    ];
    for (const name of names) {
      mkdirSync(join(temporary, name));
      write(join(temporary, name));
    }
    await inScratchFolder(async () => undefined);
    expect(readdirSync(temporary).sort()).toEqual(names.slice(1).sort());
  });
});
