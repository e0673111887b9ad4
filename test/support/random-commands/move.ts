import type { Reply, TestApp } from '../app.js';
import type { Draw } from './draw.js';
import type { Thing, World } from './world.js';

/** A command whose body is drawn at random each time. */
export interface Move {
  /** Name of the operation, or `visitor/…` for requests of a site's visitors. */
  readonly operation: string;
  /** Relative frequency. Default: 1. */
  readonly weight?: number;
  /** Draws the body. Throws `NotNow` if there is nothing yet that the command could be about. */
  body(scene: Scene): object | Promise<object>;
  /** Records the result of a successful command in the world. */
  done?(scene: Scene, answer: Reply['body'], sent: Sent): void | Promise<void>;
  /** Sends the request if it is not an operation. */
  send?(scene: Scene, sent: Sent): Promise<Reply>;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every operation.
export type Sent = any;

/** Thrown if there is nothing that the command could be about at present. */
export class NotNow extends Error {}

/** The sources from which a move draws its body. */
export class Scene {
  constructor(
    readonly draw: Draw,
    readonly world: World,
    readonly app: TestApp,
  ) {}

  /** Draws a thing of this kind. Throws `NotNow` unless there are more than `spared`. */
  one(kind: string, { spared = 0, where = () => true }: { spared?: number; where?: (thing: Thing) => boolean } = {}) {
    const all = this.world.all(kind).filter(where);
    if (all.length <= spared) throw new NotNow(kind);
    return this.draw.from(all);
  }

  id(kind: string, spared = 0): string {
    return this.one(kind, { spared }).id;
  }

  /** Throws `NotNow` if there already are this many, because workspaces have limits and tests have little time. */
  fewerThan(count: number, kind: string): void {
    if (this.world.all(kind).length >= count) throw new NotNow(kind);
  }

  /** Draws a name, which is new most of the time. */
  name(kind: string): string {
    return this.draw.chance(0.05) ? `${kind} again` : `${kind} ${this.draw.word()}`;
  }

  /** Returns the response of a query. Throws `NotNow` if the query fails, because the thing may no longer exist. */
  async ask(operation: string, body: object = {}): Promise<Reply['body']> {
    const { status, body: answer } = await this.app.call(operation, body);
    if (status !== 200) throw new NotNow(`${operation}: ${status}`);
    return answer;
  }
}

export interface Made {
  readonly kind: string;
  /** Returns facts about the new thing that later moves need, apart from its id. */
  readonly facts?: (answer: Reply['body'], sent: Sent) => object;
  readonly body: Move['body'];
  readonly weight?: number;
  readonly id?: (answer: Reply['body'], sent: Sent) => string;
}

/** Returns a move that creates a thing. */
export const making = (operation: string, { kind, facts, body, weight = 1, id }: Made): Move => ({
  operation,
  weight,
  body,
  done: ({ world }, answer, sent) => world.add(kind, { id: id?.(answer, sent) ?? answer.id, ...facts?.(answer, sent) }),
});

export const changing = (operation: string, body: Move['body'], weight = 1): Move => ({ operation, body, weight });

/**
 * Returns a move that deletes a thing. It is rare and leaves at least `spared` things, so that there are things to
 * change.
 */
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

/** Draws a small access rule. */
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
