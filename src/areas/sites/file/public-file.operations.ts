import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { mustBe } from '../../../kernel/text/must-be.js';
import { mostFileBytes, wrongContentType, wrongFileName } from './file-rules.api.js';

const source = 'Sites supplement, Pages, build, publish';
const group = 'files';
const time = { type: 'string', format: 'date-time' } as const;
const textOf = (wrong: (text: string) => string | undefined) => (value: unknown) =>
  typeof value === 'string' ? wrong(value) : mustBe('a string', value);
const pathField = {
  type: 'any',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  wrong: textOf(wrongFileName),
  description: 'Below /files/ of the site: `pictures/logo.png`.',
} as const;
const size = { type: 'integer', description: 'Bytes.' } as const;

class OfProject {
  @Field(idField) projectId!: string;
}

@Operation('site/createFileUpload', {
  summary: 'Makes a link that takes a public file of the site, once and within 15 minutes, as PUT.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  answers: {
    fields: {
      fileId: { type: 'string' },
      url: {
        type: 'string',
        nullable: true,
        once: true,
        description:
          'Send the file there as PUT with its Content-Type. It works without a key. null when the call is repeated with its Idempotency-Key.',
      },
      expiresAt: time,
      notShown: { type: 'string', optional: true, description: 'Why the url is not shown, where it is null.' },
    },
  },
})
export class CreateFileUpload extends OfProject {
  @Field(pathField) path!: string;
  @Field({
    type: 'any',
    schema: { type: 'string' },
    wrong: textOf(wrongContentType),
    description: 'A media type such as image/png. Browsers take the file for this and nothing else.',
  })
  contentType!: string;
  @Field({ ...size, minimum: 0, maximum: mostFileBytes }) size!: number;
}

export class PublicFileRow {
  @Field({ type: 'string' }) fileId!: string;
  @Field({ type: 'string' }) path!: string;
  @Field({ type: 'string' }) contentType!: string;
  @Field(size) size!: number;
  @Field(time) storedAt!: string;
}

@Operation('site/listPublicFiles', {
  summary: 'Lists the public files of a project by path, a page of 100 at a time.',
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: {
    fields: {
      files: { type: 'array', items: () => PublicFileRow },
      nextCursor: { type: 'string', nullable: true, description: 'null: nothing is left.' },
    },
  },
})
export class ListPublicFiles extends OfProject {
  @Field({ type: 'string', maxLength: 255, optional: true, description: 'Only paths that begin so.' }) prefix?: string;
  @Field({
    type: 'string',
    minLength: 1,
    maxLength: 2_000,
    optional: true,
    description: 'The nextCursor of the page before.',
  })
  cursor?: string;
}

@Operation('site/deletePublicFile', {
  summary: 'Deletes a public file of a project and destroys its bytes.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  takesAway: true,
  answers: success,
})
export class DeletePublicFile extends OfProject {
  @Field(pathField) path!: string;
}
