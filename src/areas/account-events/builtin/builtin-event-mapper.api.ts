import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import { inWords } from '../../../kernel/callers/starter.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream, streamOf } from '../../../kernel/event/stream-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';
import { recordKind } from '../../../kernel/record/record.js';
import type { Run } from '../../functions/run/run.record.js';
import type { AccountEventFacts } from '../account-event/account-event.record.js';
import { eventOrigin } from '../account-event/event-origin.api.js';
import { CauseDepth } from '../cause-depth.js';
import { builtinsOn } from './builtin.api.js';
import type { Builtin, RunKind } from './builtin-line.api.js';

interface About {
  readonly subject: JsonObject;
  readonly properties: JsonObject;
  readonly depth: number;
  readonly origin: string;
}

@Injectable()
export class BuiltinEventMapper {
  constructor(
    private readonly reads: Reads,
    private readonly loader: AggregateLoader,
    private readonly readYourWrites: ReadYourWrites,
    private readonly depth: CauseDepth,
  ) {}

  lineOf(event: RecordedEvent): Builtin | undefined {
    const lines = builtinsOn.get(event.type) ?? [];
    return lines.find(({ when }) => when === undefined || when(event));
  }

  /**
   * Undefined if the run no longer exists.
   * @throws Error if the read models do not contain the run yet
   */
  async factsOf(event: RecordedEvent, line: Builtin): Promise<AccountEventFacts | undefined> {
    this.readYourWrites.appended(event.position, [event]);
    const about = await this.about(event, line.subject);
    if (about === undefined) return undefined;
    const own = line.properties?.(event.data as JsonObject, event) ?? {};
    return { ...about, name: line.name, properties: { ...about.properties, ...own } };
  }

  private about(event: RecordedEvent, subject: Builtin['subject']): Promise<About | undefined> {
    if (subject === 'function') return this.aboutFunctionRun(event);
    if (subject === 'flow') return this.aboutStepRun(event, subject, 'flowRuns');
    if (subject === 'agent') return this.aboutStepRun(event, subject, 'agentRuns');
    return this.aboutRecord(event, subject);
  }

  private async aboutRecord(event: RecordedEvent, subject: Exclude<Builtin['subject'], RunKind>): Promise<About> {
    const { position, metadata } = event;
    const { workspaceId, causationId, actor } = metadata;
    const { id } = parseStream(event.stream);
    const isOfProject = subject === 'project';
    return {
      subject:
        typeof subject === 'function'
          ? subject(event)
          : await this.record(event, isOfProject ? streamOf('project', workspaceId, id) : event.stream),
      properties: isOfProject ? { projectId: id } : {},
      depth: await this.depth.of(workspaceId, causationId, position),
      origin: eventOrigin(actor.kind),
    };
  }

  /** Returns the subject with the record's name as of the event, or the last name if the event deleted the record. */
  private async record({ position }: RecordedEvent, stream: string): Promise<JsonObject> {
    const { category, id } = parseStream(stream);
    const aggregate = recordKind(category);
    let state: Document | undefined;
    let name: unknown;
    for await (const one of aggregate === undefined ? [] : this.loader.history(stream)) {
      if (one.position > position) break;
      state = aggregate?.evolve(state, one as Recorded<DomainEvent>);
      if (state !== undefined && 'name' in state) name = state.name;
    }
    return { type: category, id, ...(typeof name === 'string' ? { name } : {}) };
  }

  private async aboutFunctionRun(event: RecordedEvent): Promise<About | undefined> {
    const { error, durationMs } = event.data as { error: string | null; durationMs: number };
    const run = await this.run<Run>(event, 'runs');
    if (run === undefined) return undefined;
    const { id: runId, projectId, functionId, functionName, source, starter, eventDepth, attempts } = run;
    const [type, ofSite] = projectId === undefined ? ['function', {}] : ['siteFunction', { siteId: projectId }];
    const facts = { runId, source, startedBy: inWords(starter), attempts: attempts.length, durationMs, error };
    const subject = { type, id: functionId, name: functionName };
    return { subject, properties: { ...ofSite, ...facts }, depth: eventDepth, origin: 'function' };
  }

  private async aboutStepRun(
    event: RecordedEvent,
    type: 'flow' | 'agent',
    collection: string,
  ): Promise<About | undefined> {
    const { error } = event.data as { error: string | null };
    const run = await this.run<StepRun>(event, collection);
    if (run === undefined) return undefined;
    const { id: runId, targetId, targetName, source, starter, eventDepth, steps, createdAt } = run;
    const durationMs = Date.parse(event.metadata.at) - Date.parse(createdAt);
    const properties = { runId, source, startedBy: inWords(starter), steps: steps.length, durationMs, error };
    return { subject: { type, id: targetId, name: targetName }, properties, depth: eventDepth, origin: type };
  }

  private async run<Found extends Document>(event: RecordedEvent, collection: string): Promise<Found | undefined> {
    const { runId } = event.data as { runId: string };
    const run = await this.reads.get<Found>(event.metadata.workspaceId, collection, runId);
    if (run === undefined && !this.readYourWrites.isCurrent(collection)) {
      throw new Error(`The read models do not include run ${runId} yet.`);
    }
    return run;
  }
}
