import type { Call } from '../../../engine/operation/call.js';
import type { Calls } from '../../../engine/operation/calls.js';
import { functionActor } from '../../../kernel/actors/members-behind.js';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { FileLink } from '../../sites/file/file-links.api.js';
import { wrongContentType, wrongFileName, wrongFileSize } from '../../sites/file/file-rules.api.js';
import type { SiteFile, SiteFileFacts } from '../../sites/file/site-file.record.js';
import { refusedCall } from './capability-refusals.js';
import type { RunScope } from './capability-table.api.js';

/** The site that the function is of. Functions of the workspace have no files of their own. */
export function siteOf({ function: { projectId } }: RunScope): string {
  if (projectId === undefined) throw new Error('A function of no site has got ctx.files.');
  return projectId;
}

/** For changes that code makes as the function, not as the visitor who started it. */
export function callIn(calls: Calls, { request, function: fn }: RunScope, member: string): Call {
  return calls.within(request, functionActor(fn, request.actor), member);
}

export const fileShown = ({ id, name, contentType, size, createdAt }: SiteFile): JsonObject => ({
  id,
  name,
  contentType,
  size,
  createdAt,
});

export const linkShown = ({ url, expiresAt }: FileLink): JsonObject => ({ url, expiresAt });

/** Refusals reach the code as errors with a code and a status. */
export async function refusing<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    throw refusedCall(error);
  }
}

export function wrongUse(member: string, what: string): never {
  throw new CapabilityRefused(`${member} ${what}.`, 'invalid-input', 400);
}

/** An object of these members alone. @throws CapabilityRefused */
export function optionsOf(member: string, value: Json, known: readonly string[]): JsonObject {
  if (!isJsonObject(value)) return wrongUse(member, `takes an object of ${known.join(', ')}`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  return unknown === undefined ? value : wrongUse(member, `does not know the option ${unknown.slice(0, 100)}`);
}

/** The facts of a new file, checked. @throws CapabilityRefused */
export function factsOf(
  member: string,
  projectId: string,
  { name, contentType = 'application/octet-stream', size }: Readonly<Record<string, Json | undefined>>,
): SiteFileFacts {
  if (typeof name !== 'string' || typeof contentType !== 'string' || typeof size !== 'number') {
    return wrongUse(member, 'takes texts as name and contentType, and a number of bytes as size');
  }
  const checks = { name: wrongFileName(name), contentType: wrongContentType(contentType), size: wrongFileSize(size) };
  for (const [field, wrong] of Object.entries(checks))
    if (wrong !== undefined) wrongUse(member, `says: ${field} ${wrong}`);
  return { projectId, name, contentType, size };
}

/** @throws CapabilityRefused */
export function idIn(member: string, value: Json | undefined): string {
  return typeof value === 'string' ? value : wrongUse(member, 'takes the id of a file');
}
