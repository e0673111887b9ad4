import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { Field, typed } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { mustBe } from '../../../kernel/text/must-be.js';
import { FileLinks } from './file-links.api.js';
import { mostFileBytes, wrongContentType, wrongSiteFileName } from './file-rules.api.js';
import { PublicFiles } from './public-files.api.js';

const declared = {
  source: 'Sites supplement, Pages, build, publish',
  group: 'files',
  tools: 'granted',
  within: 'project',
} as const;
const changes = { ...declared, permission: 'site.edit' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const size = { type: 'integer', description: 'Size in bytes.' } as const;
const textOf = (wrong: (text: string) => string | undefined) => (value: unknown) =>
  typeof value === 'string' ? wrong(value) : mustBe('a string', value);
const path = typed<string>()({
  type: 'any',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  wrong: textOf(wrongSiteFileName),
  description: 'Path of the file below /files/ of the site, such as `pictures/logo.png`.',
});

class PublicFileRow {
  @Field({ type: 'string' }) fileId!: string;
  @Field({ type: 'string' }) path!: string;
  @Field({ type: 'string' }) contentType!: string;
  @Field(size) size!: number;
  @Field(time) storedAt!: string;
}

export const publicFileOperations = [
  command('site/createFileUpload', {
    ...changes,
    summary:
      'Creates a link for uploading a public file of the site with PUT. The link can be used once, within 15 minutes.',
    answers: {
      fields: {
        fileId: { type: 'string' },
        url: {
          type: 'string',
          nullable: true,
          once: true,
          description:
            'Upload the file to this URL with PUT and its Content-Type. No key is needed. null if the call is repeated with its Idempotency-Key.',
        },
        expiresAt: time,
        notShown: { type: 'string', optional: true, description: 'Why `url` is null.' },
      },
    },
    input: {
      projectId: idField,
      path,
      contentType: typed<string>()({
        type: 'any',
        schema: { type: 'string' },
        wrong: textOf(wrongContentType),
        description: 'A media type such as image/png. Browsers treat the file as this type only.',
      }),
      size: { ...size, minimum: 0, maximum: mostFileBytes },
    },
    inject: [FileLinks],
    handle: async (input, call, links) => {
      const { projectId, path: name, contentType, size } = input;
      const file = { projectId, name, contentType, size, isPublic: true };
      const { id: fileId, url, expiresAt } = await links.upload(call, file);
      return { fileId, url, expiresAt };
    },
  }),
  query('site/listPublicFiles', {
    ...declared,
    permission: 'site.read',
    summary: 'Lists the public files of a project, sorted by path, in pages of 100.',
    answers: {
      fields: {
        files: { type: 'array', items: () => PublicFileRow },
        nextCursor: { type: 'string', nullable: true, description: 'null on the last page.' },
      },
    },
    input: {
      projectId: idField,
      prefix: { type: 'string', maxLength: 255, optional: true, description: 'Returns only paths with this prefix.' },
      cursor: {
        type: 'string',
        minLength: 1,
        maxLength: 2_000,
        optional: true,
        description: 'The nextCursor of the previous page.',
      },
    },
    inject: [PublicFiles],
    handle: async ({ projectId, prefix = '', cursor }, { workspaceId }, found) => {
      const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
      const { files, next } = await found.list(workspaceId, { projectId, prefix, after });
      return {
        files: files.map((file) => ({ ...file, fileId: file.id, path: file.name, storedAt: file.updatedAt })),
        nextCursor: next === null ? null : Buffer.from(next).toString('base64url'),
      };
    },
  }),
  command('site/deletePublicFile', {
    ...changes,
    summary: 'Deletes a public file of a project and destroys its content.',
    takesAway: true,
    answers: success,
    input: { projectId: idField, path },
    inject: [PublicFiles],
    handle: async (input, call, files) => {
      await files.delete(call, input.projectId, input.path);
      return { success: true };
    },
  }),
];
