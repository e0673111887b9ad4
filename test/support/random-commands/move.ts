import type { Reply, TestApp } from '../app.js';
import type { Draw } from './draw.js';
import type { Thing, World } from './world.js';

/** A way to change something, drawn anew each time. */
export interface Move {
  /** Of the registry, or `visitor/…` for what visitors of sites do. */
  readonly operation: string;
  /** How often, compared with others. Default: 1. */
  readonly weight?: number;
  /** What is sent; throws `NotNow` where there is nothing yet to say it of. */
  body(scene: Scene): object | Promise<object>;
  /** Notes what came of it, when it was done. */
  done?(scene: Scene, answer: Reply['body'], sent: Sent): void | Promise<void>;
  /** Sends it, where it is no operation. */
  send?(scene: Scene, sent: Sent): Promise<Reply>;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every operation.
export type Sent = any;

/** The move has nothing to be about now. */
export class NotNow extends Error {}

/** What a move draws its body from. */
export class Scene {
  constructor(
    readonly draw: Draw,
    readonly world: World,
    readonly app: TestApp,
  ) {}

  /** One of this kind, of which there have to be more than `spared`. */
  one(kind: string, { spared = 0, where = () => true }: { spared?: number; where?: (thing: Thing) => boolean } = {}) {
    const all = this.world.all(kind).filter(where);
    if (all.length <= spared) throw new NotNow(kind);
    return this.draw.from(all);
  }

  id(kind: string, spared = 0): string {
    return this.one(kind, { spared }).id;
  }

  /** Throws where there are that many already: workspaces have limits, and tests have little time. */
  fewerThan(count: number, kind: string): void {
    if (this.world.all(kind).length >= count) throw new NotNow(kind);
  }

  /** New most of the time. */
  name(kind: string): string {
    return this.draw.chance(0.05) ? `${kind} again` : `${kind} ${this.draw.word()}`;
  }

  /** The answer of a query; nothing that is not there any more can be spoken of. */
  async ask(operation: string, body: object = {}): Promise<Reply['body']> {
    const { status, body: answer } = await this.app.call(operation, body);
    if (status !== 200) throw new NotNow(`${operation}: ${status}`);
    return answer;
  }
}

export interface Made {
  readonly kind: string;
  /** What is kept beside the id. */
  readonly facts?: (answer: Reply['body'], sent: Sent) => object;
  readonly body: Move['body'];
  readonly weight?: number;
  readonly id?: (answer: Reply['body'], sent: Sent) => string;
}

/** Makes something of a kind. */
export const making = (operation: string, { kind, facts, body, weight = 1, id }: Made): Move => ({
  operation,
  weight,
  body,
  done: ({ world }, answer, sent) => world.add(kind, { id: id?.(answer, sent) ?? answer.id, ...facts?.(answer, sent) }),
});

export const changing = (operation: string, body: Move['body'], weight = 1): Move => ({ operation, body, weight });

/** Takes something away. Rare, and some are left, so that there is something to change. */
export const removing = (
  operation: string,
  kind: string,
  body: (scene: Scene, thing: Thing) => object = (_, { id }) => ({ id }),
  spared = 2,
): Move => {
  const gone = new WeakMap<object, string>();
  return {
    operation,
    weight: 0.4,
    body: (scene) => {
      const thing = scene.one(kind, { spared });
      const sent = body(scene, thing);
      gone.set(sent, thing.id);
      return sent;
    },
    done: ({ world }, _, sent) => world.remove(kind, gone.get(sent) ?? ''),
  };
};

/** Access rules, small ones. */
export const condition = ({ draw, world }: Scene, projectId?: string): object => {
  const policies = world.all('policy').filter((one) => one['projectId'] === projectId);
  const plain = draw.oneOf<object>(
    { type: 'public', scope: 'everywhere' },
    { type: 'authenticated' },
    { type: 'has_entitlement', key: draw.oneOf('club', 'gold') },
    ...policies.map(({ id }) => ({ policy: id })),
  );
  if (draw.chance(0.2)) return { not: plain };
  return draw.chance(0.2) ? [plain, { type: 'authenticated' }] : plain;
};

export const soon = (draw: Draw, days = 300): string =>
  new Date(Date.UTC(2100, 0, 1) + draw.below(days) * 86_400_000).toISOString();
