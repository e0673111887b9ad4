import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projections } from '../../projections/projections.js';
import { appSettingsProjection, envVarsProjection } from '../../projections/secrets/env-var.projection.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { revisionPruned } from '../../src/kernel/event/pruned-revision.js';
import type { Document, Projection } from '../../src/kernel/record/projection.js';
import { documentsOf, journalFolds, recordFolds } from './folds.js';
import { fileOf, type History, historiesOf } from './histories.js';

const folds = [...recordFolds(), ...journalFolds];
/** Records no journal, and no record that is not a noun: their histories are written by hand. */
const remedy =
  'For a noun, `RECORD_HISTORY=1 npm test -- records/nouns` records them as its row in nouns.spec.ts says.';
const frozen = ({ recorded }: History) => recorded.map(({ event, state }) => ({ type: event.type, state }));
const isOf = (category: string) => (event: RecordedEvent) => event.stream.startsWith(`${category}-`);
const typesIn = (category: string): ReadonlySet<string> =>
  new Set(
    historiesOf(category)
      .flatMap(({ recorded }) => recorded.map(({ event }) => event))
      .filter(isOf(category))
      .map(({ type }) => type),
  );

describe.each(folds.map((fold) => [fold.category, fold] as const))('the histories of %s', (category, fold) => {
  it('exist, and contain every type of event', () => {
    const known = typesIn(category);
    const missing = fold.types.filter((type) => !known.has(type));
    if (missing.length > 0)
      throw new Error(`${basename(fileOf(category).pathname)} lacks ${missing.join(', ')}. ${remedy}`);
  });

  it.each(historiesOf(category).map((history) => [history.about, history] as const))(
    'fold to the recorded states: %s',
    (_, history) => {
      const replay = fold.begin();
      const told = history.recorded.map(({ event }) => ({ type: event.type, state: replay(event) }));
      expect(told).toEqual(frozen(history));
    },
  );

  it('are unaffected by an event of a newer version', () => {
    for (const history of historiesOf(category)) {
      const replay = fold.begin();
      const told = history.recorded.map(({ event }) => {
        replay(event);
        return { type: event.type, state: replay({ ...event, type: 'RecordedByANewerVersion' }) };
      });
      expect(told).toEqual(frozen(history));
    }
  });
});

/** Maps a record's state to the document that the read model must show. */
type Shown = (state: Document) => Document;
const asItIs: Shown = (state) => state;
const underItsName: Shown = (state) => ({ ...state, id: `${state.workspaceId}/${state.id}` });

const readModels: readonly (readonly [string, Projection, Shown])[] = [
  ...projections.flatMap((one) => (one.recordsOf === undefined ? [] : [[one.recordsOf, one, asItIs] as const])),
  ['envVar', envVarsProjection, underItsName],
  ['appSetting', appSettingsProjection, underItsName],
];

describe.each(readModels)('the read model of %s', (category, projection, shown) => {
  it('agrees with the fold after every event of every history', () => {
    for (const history of historiesOf(category)) {
      const replay = documentsOf(projection);
      for (const { event, state } of history.recorded) {
        const documents = state === null ? [] : [shown(state as Document)];
        expect({ after: event.id, ...(replay(event) as object) }).toEqual({
          after: event.id,
          [Object.keys(projection.collections)[0] ?? '']: documents,
        });
      }
    }
  });
});

describe('the histories together', () => {
  it('contain every type of event that a read model uses', () => {
    const known = new Set(folds.flatMap(({ category }) => [...typesIn(category)]));
    const read = projections.flatMap(({ reads }) => ('types' in reads ? reads.types : []));
    expect([...new Set(read)].filter((type) => type !== revisionPruned && !known.has(type))).toEqual([]);
  });

  it('use no event id twice', () => {
    const ids = folds.flatMap(({ category }) =>
      historiesOf(category).flatMap(({ recorded }) => recorded.map(({ event }) => event.id)),
    );
    expect(ids.length).toBe(new Set(ids).size);
  });
});
