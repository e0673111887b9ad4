import { Card } from '../areas/approvals/pending-change/card-answers.api.js';
import { sometimesNeedsApproval } from '../engine/approvals/asked-operation.js';
import { traitsFor, verdictOn } from '../engine/authorisation/authority.js';
import { allOperations, type RegisteredOperation } from '../engine/operation/operation.js';
import { NamedSchemas, type Shapes } from '../engine/operation/schema.js';
import { entrances } from './open-api/entrances.js';
import { exampleOf } from './open-api/examples.js';
import { answerSchema, apiVersion, dryRun, headers, parameters, waiting } from './open-api/parts.js';
import { problem } from './open-api/problem.js';
import { refusalResponses, responses } from './open-api/refusals.js';
import { areaOf, tagsOf } from './open-api/tags.js';

const own = { Problem: problem, DryRun: dryRun, Waiting: waiting };

/** @throws Error if two different schemas would have the same name */
export function openApi(baseUrl: string, operations: readonly RegisteredOperation[] = allOperations()): object {
  const schemas = new NamedSchemas('#/components/schemas/', Object.keys(own));
  const paths = operations.map((operation) => [`/api/v1/${operation.name}`, { post: post(operation, schemas) }]);
  schemas.in('approvals').of(Card);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: apiVersion,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Every operation is a POST request with a JSON object as its body and an API key as a Bearer token. Commands accept an Idempotency-Key, and with X-Dry-Run: true they are tried without any effect. An update changes only the fields that are sent. Permissions of all operations: /api/docs/authority.md. The API for visitors of sites: /api/openapi-visitors.json.',
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    tags: [...tagsOf(operations), ...entrances.tags],
    paths: { ...Object.fromEntries(paths), ...entrances.paths },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { ...schemas.all, ...own },
      parameters,
      headers,
      responses,
    },
  };
}

function post(operation: RegisteredOperation, named: NamedSchemas): object {
  const area = areaOf(operation);
  const schemas = named.in(area);
  const isCommand = operation.effect === 'command';
  return {
    operationId: operation.name.replace('/', '_'),
    tags: [area],
    summary: operation.summary,
    description: descriptionOf(operation),
    ...(isCommand ? { parameters: [part('parameters', 'IdempotencyKey'), part('parameters', 'DryRun')] } : {}),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.of(operation.input), example: exampleOf(operation) } },
    },
    responses: { ...done(operation, schemas), ...waits(operation, schemas), ...refusalResponses(operation) },
  };
}

function descriptionOf({ source, effect, permission, outside }: RegisteredOperation): string {
  const irreversible = outside === undefined ? '' : ` Effects that cannot be undone: ${outside.join(', ')}.`;
  return `${source}. A ${effect}. Requires the right \`${permission}\`.${irreversible}`;
}

function done({ effect, answers }: RegisteredOperation, schemas: Shapes): object {
  const schema = answerSchema(answers, schemas);
  if (effect === 'query') {
    const sent = { 'X-Read-Model': part('headers', 'ReadModel'), 'X-Read-Model-Age': part('headers', 'ReadModelAge') };
    return { 200: { description: 'The result.', headers: sent, content: json(schema) } };
  }
  const content = json({ anyOf: [schema, part('schemas', 'DryRun')] });
  return {
    200: {
      description: 'The result or, with X-Dry-Run: true, what the result would be.',
      headers: ofCommands,
      content,
    },
  };
}

function waits(operation: RegisteredOperation, schemas: Shapes): object {
  const { gated } = operation;
  if (gated === undefined && !isAskedFor(operation)) return {};
  const card = part('schemas', 'Waiting');
  const schema = gated === 'in parts' ? { anyOf: [answerSchema(operation.answers, schemas), card] } : card;
  return {
    202: {
      description: 'The change waits for a person’s approval. Contains the card.',
      headers: ofCommands,
      content: json(schema),
    },
  };
}

function isAskedFor(operation: RegisteredOperation): boolean {
  const isOpen = traitsFor(operation).some(
    (traits) => ['agent', 'automation'].includes(traits.kind) && verdictOn(operation, traits) === 'yes',
  );
  return isOpen && sometimesNeedsApproval(operation, 'changes');
}

const part = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const json = (schema: object) => ({ 'application/json': { schema } });
const ofCommands = {
  'X-Read-Model': part('headers', 'ReadModel'),
  'Idempotency-Replayed': part('headers', 'Replayed'),
};
