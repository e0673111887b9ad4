import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { visitorApi } from '../../src/http/open-api/visitor-api.js';
import { openApi } from '../../src/http/open-api.js';

/** A response as the test's client received it. */
export interface Answered {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  /** The parsed body if it is JSON, otherwise its text. */
  readonly body: unknown;
}

/** @throws Error if a document describes the operation but does not allow this response */
export function expectDocumented(answered: Answered): void {
  const document = answered.path.startsWith('/api/app/') ? visitorApi : openApi;
  const wrong = documented(document).wrong(answered);
  if (wrong !== undefined) throw new Error(wrong);
}

type Content = Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;

interface Responses {
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Responses>>>>;
}

const formats = {
  'date-time': (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
  uri: (text: string) => URL.canParse(text),
  email: /@/,
};
// Most schemas judge few responses, so optimizing their code would take longer than it saves.
const code = { optimize: false };
// Without inlining, each component is compiled once, and not again for each response that refers to it.
const options = { strict: false, validateSchema: false, logger: false, inlineRefs: false, formats, code } as const;
/** Options for describing an invalid response: they report every problem. */
const thorough = { ...options, allErrors: true, verbose: true } as const;

/** Checks responses against an API document. Each schema is compiled when it is first needed. */
export class DocumentedAnswers {
  private readonly ajv = new Ajv2020(options);
  /**
   * Schemas by method, path, status and type. They are cached because finding one is slow and there are tens of
   * thousands of responses.
   */
  private readonly judges = new Map<string, ValidateFunction | undefined>();
  private readonly templates: readonly (readonly [RegExp, string])[];

  constructor(private readonly document: Document) {
    this.ajv.addSchema(document, 'document');
    const variable = Object.keys(document.paths).filter((path) => path.includes('{'));
    this.templates = variable.map((path) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), path]);
  }

  /** Returns what is wrong with the response as a sentence, or undefined if nothing is. */
  wrong({ method, path: called, status, contentType, body }: Answered): string | undefined {
    const path = called in this.document.paths ? called : this.templates.find(([form]) => form.test(called))?.[1];
    const responses = this.document.paths[path ?? '']?.[method.toLowerCase()]?.responses;
    if (path === undefined || responses === undefined) return undefined;
    const named = [String(status), 'default'].find((one) => one in responses);
    const said = `${method} ${path} answered ${status}`;
    if (named === undefined) return `${said}, which is not documented: ${JSON.stringify(body).slice(0, 300)}`;
    const sent = contentType.split(';')[0] ?? '';
    const { content = {}, $ref } = responses[named] ?? {};
    const saysNothing = $ref === undefined && Object.keys(content).length === 0;
    if (saysNothing && sent === '' && body === '') return undefined;
    // The document describes files with the type */*.
    const type = sent !== '' && !(sent in content) && '*/*' in content ? '*/*' : sent;
    const key = `${method} ${path} ${named} ${type}`;
    const placeOf = () => {
      // Ajv would compile a schema that is only a reference anew for each response that has it.
      const shared = content[type]?.schema?.$ref;
      if (shared !== undefined) return `document${shared}`;
      const place = responses[named]?.$ref ?? pointer('paths', path, method.toLowerCase(), 'responses', named);
      return `document${place}${pointer('content', type, 'schema').slice(1)}`;
    };
    if (!this.judges.has(key)) this.judges.set(key, this.ajv.getSchema(placeOf()));
    const judge = this.judges.get(key);
    if (judge === undefined) return `${said} as ${type || 'nothing'}, which is not documented.`;
    return judge(body) ? undefined : `${said}, and not as documented: ${this.faultsOf(placeOf(), body)}.`;
  }

  private faultsOf(place: string, body: unknown): string {
    const judge = new Ajv2020(thorough).addSchema(this.document, 'document').getSchema(place);
    judge?.(body);
    return faultsIn(judge?.errors ?? [], body);
  }
}

const pointer = (...parts: readonly string[]) =>
  `#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

/** Number of problems named for one response. */
const mostFaults = 8;

/**
 * Describes the problems. Every command may also return a dry-run response, so problems with that alternative are left
 * out unless the response is one.
 */
function faultsIn(errors: readonly ErrorObject[], body: unknown): string {
  const isDryRunAnswer = typeof body === 'object' && body !== null && 'dryRun' in body;
  const own = errors.filter(({ schemaPath }) => isDryRunAnswer || !schemaPath.includes('/DryRun/'));
  return [...new Set(own.map(faultOf))].slice(0, mostFaults).join('; ');
}

/** Describes a problem by its path in the response and the type of the value there. */
function faultOf({ instancePath, keyword, params, message, data }: ErrorObject): string {
  if (keyword !== 'additionalProperties') return `${instancePath || 'the answer'} is ${typeOf(data)} and ${message}`;
  const extra = String(params['additionalProperty']);
  const value = (data as Readonly<Record<string, unknown>>)[extra];
  return `${instancePath}/${extra} is ${typeOf(value)} and not documented`;
}

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`);

/**
 * A worker loads the product once, but loads this file again for each spec file. Compiled schemas are therefore stored
 * outside this file, by API document, because a spec file that declares operations has a document of its own.
 */
const kept = Symbol.for('countersign: answers as documented');
const ofWorker = globalThis as unknown as { [kept]?: WeakMap<object, DocumentedAnswers> };

/**
 * Created when the first response needs it, because the visitors' routes are known only once their controllers are
 * loaded.
 */
function documented(document: typeof openApi): DocumentedAnswers {
  ofWorker[kept] ??= new WeakMap();
  const known = ofWorker[kept].get(document);
  if (known !== undefined) return known;
  const made = new DocumentedAnswers(document('http://localhost') as Document);
  ofWorker[kept].set(document, made);
  return made;
}
