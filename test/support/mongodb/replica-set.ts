import { EventEmitter, once } from 'node:events';
import { Long, ObjectId } from 'bson';
import type { Fields } from './wire.js';

/** The members of the set and which of them is the primary. Answers greetings as a replica set does. */
export class ReplicaSet {
  readonly name = 'rs0';
  private readonly processId = new ObjectId();
  private readonly news = new EventEmitter().setMaxListeners(0);
  private hosts: readonly string[] = [];
  private primary: number | undefined = 0;
  private term = 1;
  private version = 0;

  /** @param greets members that replace those of the greeting */
  constructor(private readonly greets: Fields = {}) {}

  named(hosts: readonly string[]): void {
    this.hosts = hosts;
  }

  get primaryMember(): number | undefined {
    return this.primary;
  }

  isPrimary(member: number): boolean {
    return this.primary === member;
  }

  /** Makes a member the primary. Undefined means that there is no primary for now. */
  elect(member: number | undefined): void {
    this.primary = member;
    this.term += 1;
    this.version += 1;
    this.news.emit('news');
  }

  /**
   * Returns the greeting. If the client already knows the current topology version, waits until that changes or the
   * client's time is over.
   */
  async greeting(member: number, command: Fields, connection: number): Promise<Fields> {
    const known = (command['topologyVersion'] as Fields | undefined)?.['counter'];
    if (known !== undefined && Number(known) === this.version) {
      await once(this.news, 'news', { signal: AbortSignal.timeout(Number(command['maxAwaitTimeMS'])) }).catch(() => {});
    }
    const primary = this.isPrimary(member);
    return {
      helloOk: true,
      [command['hello'] === undefined ? 'ismaster' : 'isWritablePrimary']: primary,
      secondary: !primary,
      setName: this.name,
      setVersion: 1,
      hosts: this.hosts,
      me: this.hosts[member],
      primary: this.primary === undefined ? undefined : this.hosts[this.primary],
      electionId: primary ? new ObjectId(this.term.toString(16).padStart(24, '0')) : undefined,
      topologyVersion: { processId: this.processId, counter: Long.fromNumber(this.version) },
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      localTime: new Date(),
      logicalSessionTimeoutMinutes: 30,
      connectionId: connection,
      minWireVersion: 0,
      maxWireVersion: 21,
      readOnly: false,
      ok: 1,
      ...this.greets,
    };
  }
}
