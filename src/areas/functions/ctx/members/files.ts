import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { type FileLink, FileLinks } from '../../../sites/file/file-links.api.js';
import { wrongContentType, wrongFileSize, wrongSiteFileName } from '../../../sites/file/file-rules.api.js';
import { type SiteFile, type SiteFileFacts, siteFiles } from '../../../sites/file/site-file.record.js';
import { SiteFiles } from '../../../sites/file/site-files.api.js';
import { refusalOf } from '../../functions.refusals.js';
import { type CtxMember, ctxMember } from '../ctx-member.js';

type No = (what: string) => never;

const mostListed = 1_000;
const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const fileMembers: readonly CtxMember[] = [
  ctxMember({ files: SiteFiles })({
    name: 'files.list',
    usage:
      "({ prefix?, limit? }): the files of this site's functions whose name begins with prefix, sorted by name; resolves to [{ id, name, contentType, size, createdAt }]. limit is 100 by default and at most 1000.",
    owner: 'project',
    args: ([options = {}], no) => {
      const { prefix = '', limit = 100 } = optionsOf(options, ['prefix', 'limit'], no);
      if (typeof prefix !== 'string') return no('takes a text as prefix');
      if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 1 || limit > mostListed) {
        return no(`takes a whole number from 1 to ${mostListed} as limit`);
      }
      return { prefix, limit };
    },
    call: async (given, { scope, site: { projectId }, files }) =>
      (await files.list(scope.request.workspaceId, { projectId, ...given })).map(fileShown),
  }),
  ctxMember({ files: SiteFiles, links: FileLinks })({
    name: 'files.getUrl',
    usage: '(id): a link with which anyone can download the file for 15 minutes; resolves to { url, expiresAt }.',
    owner: 'project',
    args: ([id], no) => idIn(id, no),
    call: async (id, { scope, site, files, links }) => {
      const file = await files.find(scope.request.workspaceId, site.projectId, id);
      return linkShown(links.download(file ?? siteFiles.missing()));
    },
  }),
  ctxMember({ links: FileLinks })({
    name: 'files.getUploadUrl',
    usage:
      '({ name, contentType, size }): a link to which anyone can upload exactly this file once, within 15 minutes, as PUT with its Content-Type; at most 25 MB; resolves to { id, url, method, expiresAt }.',
    owner: 'project',
    args: ([sent = null], no) => factsOf(optionsOf(sent, ['name', 'contentType', 'size'], no), no),
    call: async (facts, { site: { projectId }, links, newCall }) => {
      const link = await links.upload(newCall(), { projectId, ...facts });
      return { id: link.id, method: 'PUT', ...linkShown(link) };
    },
  }),
  ctxMember({ files: SiteFiles })({
    name: 'files.upload',
    usage:
      "(name, content, { encoding?, contentType? }): stores text, or bytes with the encoding 'base64', as a file; resolves to { id, name, contentType, size, createdAt }. For files larger than 1 MB, use ctx.files.getUploadUrl.",
    owner: 'project',
    args: ([name = null, content, options = {}], no) => {
      const { encoding = 'utf8', ...more } = optionsOf(options, ['encoding', 'contentType'], no);
      const bytes = bytesOf(content, encoding, no);
      return { bytes, facts: factsOf({ ...more, name, size: bytes.length }, no) };
    },
    call: async ({ bytes, facts }, { site: { projectId }, files, newCall }) => {
      const call = newCall();
      return fileShown(await files.put(call, { id: call.newId('file'), projectId, ...facts }, [bytes]));
    },
  }),
  ctxMember({ files: SiteFiles })({
    name: 'files.delete',
    usage: '(id): permanently deletes a file; its links stop working.',
    owner: 'project',
    deletes: refusalOf('key-never-deletes', { operation: 'ctx.files.delete' }).message,
    args: ([id], no) => idIn(id, no),
    call: async (id, { site, files, newCall }) => {
      await files.delete(newCall(), site.projectId, id);
      return null;
    },
  }),
];

const fileShown = ({ id, name, contentType, size, createdAt }: SiteFile): JsonObject => ({
  id,
  name,
  contentType,
  size,
  createdAt,
});

const linkShown = ({ url, expiresAt }: FileLink): JsonObject => ({ url, expiresAt });

const idIn = (value: Json | undefined, no: No): string =>
  typeof value === 'string' ? value : no('takes the id of a file');

function optionsOf(value: Json, known: readonly string[], no: No): JsonObject {
  if (!isJsonObject(value)) return no(`takes an object of ${known.join(', ')}`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  return unknown === undefined ? value : no(`does not know the option ${unknown.slice(0, 100)}`);
}

function factsOf(
  { name, contentType = 'application/octet-stream', size }: JsonObject,
  no: No,
): Omit<SiteFileFacts, 'projectId'> {
  if (typeof name !== 'string' || typeof contentType !== 'string' || typeof size !== 'number') {
    return no('takes texts as name and contentType, and a number of bytes as size');
  }
  const checks = {
    name: wrongSiteFileName(name),
    contentType: wrongContentType(contentType),
    size: wrongFileSize(size),
  };
  for (const [field, wrong] of Object.entries(checks)) if (wrong !== undefined) no(`says: ${field} ${wrong}`);
  return { name, contentType, size };
}

function bytesOf(content: Json | undefined, encoding: Json | undefined, no: No): Buffer {
  if (typeof content !== 'string') return no('takes a text as content, in base64 where it is no text');
  if (encoding === 'utf8') return Buffer.from(content, 'utf8');
  if (encoding !== 'base64') return no("takes 'utf8' or 'base64' as encoding");
  return base64Form.test(content) ? Buffer.from(content, 'base64') : no('got content that is not base64');
}
