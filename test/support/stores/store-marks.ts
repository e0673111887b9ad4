import { ReadModels } from '../../../src/engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../src/engine/read-models/read-your-writes.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import { Blobs } from '../../../src/ports/blobs.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { ReadStore } from '../../../src/ports/read-store.port.js';
import { Texts } from '../../../src/ports/texts.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../all-of.js';
import type { TestApp } from '../app.js';
import { sagasAreDone } from './sagas-are-done.js';

/** Categories of streams that every request may write to as a side effect. */
const byItself = new Set(['apiKeyUse', 'auditSeal']);
/** Vault entries in which background work of an earlier command stores temporary data. */
const ofRuns = /^(flowRun|agentRun|run-input|site-mail|site-token)\//;

/**
 * Returns the runs that ended with this event. It belongs to no command, because it may record the ends of several
 * runs.
 */
const endedIn = ({ type, data }: RecordedEvent): readonly string[] =>
  type === 'TriggerRunsEnded'
    ? (data as { readonly runs: readonly { readonly runId: string }[] }).runs.map(({ runId }) => runId)
    : [];
const idsIn = ({ data }: RecordedEvent) => JSON.stringify(data).match(/\b[a-z]+_[0-9a-z]{20,}\b/g) ?? [];

type Kept = Readonly<Record<string, string>>;

/** Determines what some work changes in any store. Leaves out what earlier commands still do in the background. */
export class StoreMarks {
  /** Number of documents written, by collection. */
  private readonly writes: Record<string, string> = {};
  private readonly correlations = new Set<string>();
  /** Ids in events of earlier commands. */
  private readonly named = new Set<string>();
  private seen = -1;

  constructor(private readonly app: TestApp) {
    const store = this.get(ReadStore);
    const commit = store.commit.bind(store);
    const counted: ReadStore['commit'] = (build, expected, checkpoint, writes) => {
      for (const { collection } of writes) this.writes[collection] = `${Number(this.writes[collection] ?? 0) + 1}`;
      return commit(build, expected, checkpoint, writes);
    };
    Object.assign(store, { commit: counted });
  }

  async changedBy<Answer>(work: () => Promise<Answer>): Promise<{ readonly answer: Answer; readonly changed: object }> {
    const [vault, blobs, texts, writes] = await this.atRest();
    await this.newEvents();
    const answer = await work();
    const after = await this.atRest();
    const { own, background } = await this.newEvents();
    const names = {
      // Entries of a run are removed some time after its last event, so their removal is not a change of this work.
      vault: differing(vault, after[0]).filter(
        (name) => !ofRuns.test(name) || !(background || after[0][name] === undefined),
      ),
      blobs: differing(blobs, after[1]),
      texts: differing(texts, after[2]),
      documents: background ? [] : differing(writes, after[3]),
      events: own,
    };
    return { answer, changed: Object.fromEntries(Object.entries(names).filter(([, found]) => found.length > 0)) };
  }

  /**
   * Returns the events recorded since the last call: `own` are those of new commands, `background` states whether there
   * are any of earlier ones.
   */
  private async newEvents(): Promise<{ readonly own: readonly string[]; readonly background: boolean }> {
    const events = await this.get(EventStore).readAll({ from: this.seen, limit: 100_000 });
    this.seen = events.at(-1)?.position ?? this.seen;
    const told = events.filter(({ stream }) => !byItself.has(parseStream(stream).category));
    const own = told.filter((event) => {
      const ended = endedIn(event);
      const isOfEarlier =
        this.correlations.has(event.metadata.correlationId) ||
        (ended.length > 0 && ended.every((runId) => this.named.has(runId)));
      if (isOfEarlier) this.name(event);
      return !isOfEarlier;
    });
    for (const event of told) {
      this.correlations.add(event.metadata.correlationId);
      this.name(event);
    }
    return { own: own.map(({ stream, type }) => `${type} of ${stream}`), background: own.length < told.length };
  }

  private name(event: RecordedEvent): void {
    for (const id of idsIn(event)) this.named.add(id);
  }

  /** Waits until the sagas have reacted and the read models are current, so that later writes belong to new work. */
  private async settled(): Promise<void> {
    await sagasAreDone(this.app);
    const readYourWrites = this.get(ReadYourWrites);
    readYourWrites.observed(await this.get(EventStore).head());
    for (const { name } of this.get(ReadModels).all) await readYourWrites.current(name);
  }

  /** Returns the content of the stores at one position of the log that sagas and read models have reached. */
  private async atRest(): ReturnType<StoreMarks['kept']> {
    for (;;) {
      const head = await this.get(EventStore).head();
      await this.settled();
      const kept = await this.kept();
      if (head === (await this.get(EventStore).head())) return kept;
    }
  }

  private async kept(): Promise<readonly [vault: Kept, blobs: Kept, texts: Kept, documents: Kept]> {
    const sealed = (await allOf(this.get(Vault).sealedEntries())).map(({ name, sealedValue }) => [
      name,
      Buffer.from(sealedValue).toString('base64'),
    ]);
    const blobs = (await allOf(this.get(Blobs).sealedBlobs())).map(({ name }) => [name, '']);
    const texts = (await allOf(this.get(Texts).storedTexts())).map(({ digest }) => [digest, '']);
    const documents = { ...this.writes, apiKeyUses: '' };
    return [Object.fromEntries(sealed), Object.fromEntries(blobs), Object.fromEntries(texts), documents];
  }

  private get<Part extends object>(part: abstract new (...parts: never[]) => Part): Part {
    return this.app.app.get<Part>(part as never, { strict: false });
  }
}

const differing = (before: Kept, after: Kept): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name]);
