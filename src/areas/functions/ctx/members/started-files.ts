import { isJsonObject, type Json } from '../../../../kernel/json/json.js';
import { MailUnparsable } from '../../../../ports/offloaded/mail-parser.port.js';
import { CapabilityRefused } from '../../../../ports/offloaded/sandbox.port.js';
import { type CtxMember, ctxMember } from '../ctx-member.js';
import { type RunFile, RunFiles } from '../run-files.api.js';

/** Maximum number of bytes returned by one call, because their base64 must fit into the answer of one ctx call. */
const mostBytes = 3 * 1024 * 1024;

/** The opened file remains in memory, because large files are read in several calls. */
interface OpenFile {
  fileId?: string;
  file?: Promise<RunFile | undefined>;
}

export const startedFileMembers: readonly CtxMember[] = [
  ctxMember({ files: RunFiles })({
    name: 'files.read',
    usage:
      '(fileId, { offset?, length? }): reads a file that the run was started with, such as an attachment of its mail or a file of its form; resolves to { name, contentType, size, offset, base64 }, at most 3 MB at a time.',
    args: ([fileId, options = {}], no) => {
      if (typeof fileId !== 'string' || !isJsonObject(options)) return no('takes a fileId and an object of options');
      const unknown = Object.keys(options).find((key) => key !== 'offset' && key !== 'length');
      if (unknown !== undefined) return no(`does not know the option ${unknown}`);
      const { offset = 0, length = mostBytes } = options;
      if (!isCount(offset) || !isCount(length)) return no('takes whole numbers of bytes as offset and length');
      if (length > mostBytes)
        return no(`returns at most ${mostBytes} bytes at once; call it again with a later offset`);
      return { fileId, offset, length };
    },
    state: (): OpenFile => ({}),
    call: async ({ fileId, offset, length }, { scope, state, files }) => {
      if (state.fileId !== fileId) Object.assign(state, { fileId, file: files.open(scope.request, fileId) });
      const { name, contentType, bytes } = await found(state.file);
      const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(offset, offset + length);
      return { name, contentType, size: bytes.length, offset, base64: part.toString('base64') };
    },
  }),
];

async function found(opened: OpenFile['file']): Promise<RunFile> {
  try {
    const file = await opened;
    if (file !== undefined) return file;
  } catch (error) {
    if (error instanceof MailUnparsable) throw new CapabilityRefused(error.message, 'file-unreadable', 422);
    throw error;
  }
  throw new CapabilityRefused(
    'ctx.files.read finds no such file: a run can only read the files it was started with, as long as they are stored.',
    'file-not-found',
    404,
  );
}

const isCount = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
