import {
  anyObject,
  NamedSchemas,
  type OpenApiSchema,
  objectSchema,
  type Shapes,
} from '../../engine/operation/schema.js';
import { fieldsOf } from '../../kernel/field/field.js';
import { type RefusalCode } from '../http.refusals.js';
import { type VisitorRoute, visitorRoutes } from '../visitor/visitor-route.js';
import { answerSchema, apiVersion, headers } from './parts.js';
import { problem } from './problem.js';
import { refusedWith, responses } from './refusals.js';

export function visitorApi(baseUrl: string): object {
  const schemas = new NamedSchemas('#/components/schemas/', ['Problem']);
  const shapes = schemas.in('visitor');
  const paths: Record<string, object> = {};
  for (const route of visitorRoutes().toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    paths[`/api/app/{projectId}/${pathOf(route)}`] = { [route.method.toLowerCase()]: described(route, shapes) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign for visitors',
      version: apiVersion,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'The API that pages of a site call on behalf of visitors. Signed-in users send their session as X-Site-Session. Without a session, or with one that has ended, the caller is a visitor who is not signed in. The same paths are available under /api/ on the host of the site, where its own pages can also use the session cookie. The API of the workspace: /api/openapi.json.',
    },
    servers: [{ url: baseUrl }],
    security: [{}, { session: [] }],
    tags,
    paths,
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'header', name: 'X-Site-Session' } },
      schemas: { ...schemas.all, Problem: problem },
      headers: { RetryAfter: headers.RetryAfter, Authenticate: headers.Authenticate },
      responses: { Fault: responses['Fault'], Refused: responses['Refused'] },
    },
  };
}

const tags = [
  { name: 'sign-in', description: 'Sign-up and sign-in of users of the site.' },
  { name: 'functions', description: 'Functions that visitors may run.' },
  { name: 'tables', description: 'Rows that visitors may read and change.' },
  { name: 'mail', description: 'Mail from pages.' },
  { name: 'payments', description: 'What the site sells.' },
  { name: 'files', description: 'Downloads and uploads through links from functions.' },
  { name: 'realtime', description: 'Live messages.' },
  { name: 'source-control', description: 'Webhook for pushes to a git host.' },
  { name: 'proxy', description: 'HTTP requests that the server sends on behalf of pages.' },
  { name: 'traffic', description: 'Page views.' },
];

const pathOf = ({ path }: VisitorRoute) => path.replace(/:(\w+)/g, '{$1}');
const text = { type: 'string' };

function described(route: VisitorRoute, shapes: Shapes): object {
  const { id, tag, summary, description, body, status = 200, refuses } = route;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: parametersOf(route, shapes),
    ...(body === undefined ? {} : { requestBody: { content: contentOf(body, shapes) } }),
    responses: {
      ...(route.answers === 'redirect' || route.answers === 'socket'
        ? instead[route.answers]
        : { [status]: { description: 'Success.', ...answerOf(route, shapes) } }),
      ...refusedWith([...ofEveryRoute, ...(body === undefined ? [] : ofEveryBody), ...refuses]),
    },
  };
}

function parametersOf(route: VisitorRoute, shapes: Shapes): object[] {
  const { path, query, headers: sent = {} } = route;
  const { properties = {}, required = [] } = query === undefined ? {} : objectSchema([...fieldsOf(query)], shapes);
  const inPath = ['projectId', ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => name)];
  return [
    ...inPath.map((name) => ({ name, in: 'path', required: true, schema: text })),
    ...Object.entries(properties as object).map(([name, schema]) => ({
      name,
      in: 'query',
      required: (required as readonly string[]).includes(name),
      schema,
    })),
    ...Object.entries(sent).map(([name, description]) => ({ name, in: 'header', schema: text, description })),
  ];
}

const bytes = { '*/*': { schema: { ...text, format: 'binary' } } };
const json = (schema: OpenApiSchema) => ({ 'application/json': { schema } });
const instead = {
  redirect: { 303: { description: 'Redirects the browser.', headers: { Location: { schema: text } } } },
  socket: { 101: { description: 'The connection becomes a WebSocket.' } },
};

function contentOf(body: NonNullable<VisitorRoute['body']>, shapes: Shapes): object {
  if (body === 'bytes') return bytes;
  return json(body === 'any' ? anyObject : shapes.of(body));
}

function answerOf({ answers }: VisitorRoute, shapes: Shapes): { readonly content?: object } {
  if (answers === 'nothing') return {};
  if (typeof answers === 'string') return { content: bytes };
  if (!('value' in answers)) return { content: json(answerSchema(answers, shapes)) };
  const { properties } = objectSchema([['value', answers.value]], shapes);
  return { content: json((properties as Record<string, OpenApiSchema>)['value'] ?? {}) };
}

const ofEveryRoute: readonly RefusalCode[] = [
  'site-not-found',
  'visitor-rate',
  'site-rate',
  'service-starting',
  'service-stopping',
  'store-unavailable',
];

const ofEveryBody: readonly RefusalCode[] = [
  'invalid-json',
  'invalid-body',
  'invalid-input',
  'body-too-large',
  'bodies-taken',
  'media-type-not-supported',
];
