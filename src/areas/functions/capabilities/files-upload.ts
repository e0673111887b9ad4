import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/operation/calls.js';
import type { Json } from '../../../kernel/json/json.js';
import type { Capability } from '../../../ports/sandbox.port.js';
import { SiteFiles } from '../../sites/file/site-files.api.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { callIn, factsOf, fileShown, optionsOf, refusing, siteOf, wrongUse } from './site-file-calls.js';

const member = 'ctx.files.upload';
const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** `ctx.files.upload(name, content, { encoding?, contentType? })`: keeps what the code made. */
@Injectable()
export class FilesUpload implements CapabilityMaker {
  readonly usage =
    "ctx.files.upload(name, content, { encoding?, contentType? }): keeps a text, or bytes with the encoding 'base64', as a file; resolves to { id, name, contentType, size, createdAt }. Larger files than 1 MB go by ctx.files.getUploadUrl.";

  constructor(
    private readonly files: SiteFiles,
    private readonly calls: Calls,
  ) {}

  make(scope: RunScope): Capability {
    return { name: 'files.upload', call: (args) => this.upload(scope, args) };
  }

  private upload(scope: RunScope, [name = null, content, options = {}]: readonly Json[]): Promise<Json> {
    return refusing(async () => {
      const { encoding = 'utf8', ...more } = optionsOf(member, options, ['encoding', 'contentType']);
      const bytes = bytesOf(content, encoding);
      const facts = factsOf(member, siteOf(scope), { ...more, name, size: bytes.length });
      const call = callIn(this.calls, scope, member);
      return fileShown(await this.files.put(call, { id: call.newId('file'), ...facts }, [bytes]));
    });
  }
}

function bytesOf(content: Json | undefined, encoding: Json | undefined): Buffer {
  if (typeof content !== 'string') return wrongUse(member, 'takes a text as content, in base64 where it is no text');
  if (encoding === 'utf8') return Buffer.from(content, 'utf8');
  if (encoding !== 'base64') return wrongUse(member, "takes 'utf8' or 'base64' as encoding");
  return base64Form.test(content) ? Buffer.from(content, 'base64') : wrongUse(member, 'got content that is not base64');
}
