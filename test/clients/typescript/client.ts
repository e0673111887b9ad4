import type { components, operations } from './countersign.js';

type Schemas = components['schemas'];
type Json<Content> = Content extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** Operations that take a JSON object and answer with JSON. */
export type Name = {
  [One in keyof operations]: operations[One] extends { readonly requestBody: { readonly content: object } }
    ? One
    : never;
}[keyof operations];

export type Input<One extends Name> = Json<operations[One]['requestBody']>;
/** What the operation answers when it was done, and was no trial. */
export type Done<One extends Name> = Exclude<Json<operations[One]['responses'][200]>, Schemas['DryRun']>;

export class Refused extends Error {
  constructor(readonly problem: Schemas['Problem']) {
    super(problem.detail);
  }
}

/** A person has to approve the call first. */
export class Waits extends Error {
  constructor(readonly card: Schemas['Waiting']) {
    super(card.approveLink);
  }
}

/** As a user of the document writes it: the types are the document's, and nothing else is known of an operation. */
export class Client {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /** @throws Refused where the service refuses; Waits where a person has to approve it first */
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
