import type { components, operations } from './countersign.js';

type Schemas = components['schemas'];
type Json<Content> = Content extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** Operations that accept a JSON object and answer with JSON. */
export type Name = {
  [One in keyof operations]: operations[One] extends { readonly requestBody: { readonly content: object } }
    ? One
    : never;
}[keyof operations];

export type Input<One extends Name> = Json<operations[One]['requestBody']>;
/** The answer of a successful call, without that of a dry run. */
export type Done<One extends Name> = Exclude<Json<operations[One]['responses'][200]>, Schemas['DryRun']>;

export class Refused extends Error {
  constructor(readonly problem: Schemas['Problem']) {
    super(problem.detail);
  }
}

/** A person must approve the call first. */
export class Waits extends Error {
  constructor(readonly card: Schemas['Waiting']) {
    super(card.approveLink);
  }
}

/** A client as a user of the document would write it. All its types come from the document. */
export class Client {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /**
   * @throws {Refused} if the service refuses
   * @throws {Waits} if a person must approve first
   */
  async call<One extends Name>(operation: One, input: Input<One>): Promise<Done<One>> {
    const response = await fetch(`${this.url}/api/v1/${operation.replace('_', '/')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const body: unknown = await response.json();
    if (!response.ok) throw new Refused(body as Schemas['Problem']);
    if (response.status === 202) throw new Waits(body as Schemas['Waiting']);
    return body as Done<One>;
  }
}
