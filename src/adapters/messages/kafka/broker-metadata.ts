import { createRequire } from 'node:module';

interface Request {
  readonly encode: () => Promise<unknown>;
}
interface RequestVersion {
  readonly topics: readonly string[];
  readonly allowAutoTopicCreation?: boolean;
}
type Made = (asked: RequestVersion) => { readonly request: Request; readonly response: unknown };
interface Protocol {
  protocol: ((of: { readonly version: number }) => Made) & { readonly asksForBrokers?: true };
}
interface Encoder {
  writeInt32(value: number): this;
  writeBoolean(value: boolean): this;
}

/**
 * Makes kafkajs 2.2.4 request no topics when it needs only the brokers. kafkajs encodes an empty list of topics as
 * "all". A response with all topics has megabytes on a large cluster, and kafkajs refuses it if a single partition of
 * any application has no leader.
 */
export function requestOnlyBrokers(): void {
  const load = createRequire(import.meta.url);
  const metadata = load('kafkajs/src/protocol/requests/metadata') as Protocol;
  const Encoder = load('kafkajs/src/protocol/encoder') as new () => Encoder;
  const original = metadata.protocol;
  if (original.asksForBrokers) return;
  const protocol = (of: { readonly version: number }): Made => {
    const make = original(of);
    return (asked) => {
      const made = make(asked);
      if (of.version === 0 || asked.topics.length > 0) return made;
      const encode = async () => {
        const none = new Encoder().writeInt32(0);
        return of.version < 4 ? none : none.writeBoolean(asked.allowAutoTopicCreation ?? true);
      };
      return { ...made, request: { ...made.request, encode } };
    };
  };
  metadata.protocol = Object.assign(protocol, { asksForBrokers: true } as const);
}
