import { Injectable } from '@nestjs/common';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { MailUnparsable } from '../../../ports/mail-parser.port.js';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { type RunFile, RunFiles } from './run-files.api.js';

/** Bytes of one answer: what fits into it as base64. */
const mostAtOnce = 3 * 1024 * 1024;

/**
 * `ctx.files.read(fileId, { offset?, length? })`: some bytes of a file that the run was started with, such as a mail
 * attachment that a mailhook received or a form file that a webhook received. Files of other runs are not readable.
 */
@Injectable()
export class FilesRead implements CapabilityMaker {
  readonly usage =
    'ctx.files.read(fileId, { offset?, length? }): a file that the run was started with, such as an attachment of its mail or a file of its form; resolves to { name, contentType, size, offset, base64 }, at most 3 MB at a time.';

  constructor(private readonly files: RunFiles) {}

  make(scope: RunScope): Capability {
    // A large file is read in pieces, so the run keeps the last file open.
    let held: { readonly fileId: string; readonly file: Promise<RunFile | undefined> } | undefined;
    const open = (fileId: string) => {
      if (held?.fileId !== fileId) held = { fileId, file: this.files.open(scope.request, fileId) };
      return held.file;
    };
    return { name: 'files.read', call: (args) => read(args, open) };
  }
}

async function read(
  [fileId, options = {}]: readonly Json[],
  open: (fileId: string) => Promise<RunFile | undefined>,
): Promise<JsonObject> {
  if (typeof fileId !== 'string' || !isObject(options)) return no('takes a fileId and an object of options');
  const unknown = Object.keys(options).find((key) => key !== 'offset' && key !== 'length');
  if (unknown !== undefined) return no(`does not know the option ${unknown}`);
  const { offset = 0, length = mostAtOnce } = options;
  if (!isCount(offset) || !isCount(length)) return no('takes whole numbers of bytes as offset and length');
  if (length > mostAtOnce) return no(`answers at most ${mostAtOnce} bytes at once; ask again from a later offset`);
  const file = await opened(() => open(fileId));
  const { name, contentType, bytes } = file;
  const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(offset, offset + length);
  return { name, contentType, size: bytes.length, offset, base64: part.toString('base64') };
}

async function opened(open: () => Promise<RunFile | undefined>): Promise<RunFile> {
  try {
    const file = await open();
    if (file !== undefined) return file;
  } catch (error) {
    if (error instanceof MailUnparsable) throw new CapabilityRefused(error.message, 'file-unreadable', 422);
    throw error;
  }
  throw new CapabilityRefused(
    'ctx.files.read finds no such file: a run reads the files it was started with, for as long as these are kept.',
    'file-not-found',
    404,
  );
}

function no(what: string): never {
  throw new CapabilityRefused(`ctx.files.read ${what}.`, 'invalid-input', 400);
}

const isCount = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
