import { Context, ProcessingMode } from 'mingo';
import { Aggregator } from 'mingo/aggregator';
import {
  $cond,
  $dateFromString,
  $dateToString,
  $eq,
  $in,
  $isoDayOfWeek,
  $multiply,
  $regexMatch,
  $substrBytes,
  $subtract,
  $type,
} from 'mingo/operators/expression';
import { $set } from 'mingo/operators/pipeline';
import { type HeldCollection, projected, type View } from './held-collection.js';
import type { IndexBuilds } from './index-builds.js';
import { bySort, compare, keyText } from './order.js';
import { Refusal } from './refusal.js';
import type { Fields } from './wire.js';

type Stage = (rows: readonly Fields[], asked: unknown) => readonly Fields[];

/**
 * The supported stages and expressions. All others are refused, so that tests notice pipelines that this server cannot
 * run.
 */
const context = Context.init({
  pipeline: { $set },
  expression: {
    $cond,
    $dateFromString,
    $dateToString,
    $eq,
    $in,
    $isoDayOfWeek,
    $multiply,
    $regexMatch,
    $substrBytes,
    $subtract,
    $type,
  },
});

const stages: Readonly<Record<string, Stage>> = {
  $set: (rows, asked) => withFields(rows, asked as Fields),
  $sort: (rows, asked) => rows.toSorted(bySort(asked as Fields)),
  $limit: (rows, asked) => rows.slice(0, Number(asked)),
  $project: (rows, asked) => rows.map((row) => projected(row, asked as Fields)),
  $group: grouped,
};

/** Runs a pipeline, which must begin with $match or consist of $collStats. */
export function aggregated(
  held: HeldCollection | undefined,
  view: View,
  pipeline: readonly Fields[],
  indexBuilds: IndexBuilds,
): readonly Fields[] {
  const [first, ...rest] = pipeline;
  if (first !== undefined && '$collStats' in first && rest.length === 0) {
    return [{ storageStats: { count: held?.size ?? 0, indexBuilds: indexBuilds.namesIn(held) } }];
  }
  if (first?.['$match'] === undefined) throw unknown(first);
  let rows = held?.seenBy(view).find(first['$match']) ?? [];
  for (const stage of rest) {
    const [name = '', ...others] = Object.keys(stage);
    const run = stages[name];
    if (run === undefined || others.length > 0) throw unknown(stage);
    rows = run(rows, stage[name]);
  }
  return rows;
}

function withFields(rows: readonly Fields[], fields: Fields): readonly Fields[] {
  const options = { context, processingMode: ProcessingMode.CLONE_INPUT, useStrictMode: true };
  try {
    return new Aggregator([{ $set: fields }], options).run([...rows]) as readonly Fields[];
  } catch (error) {
    throw new Refusal(17276, 'Location17276', error instanceof Error ? error.message : 'An expression is not known.');
  }
}

const accumulators: Readonly<Record<string, (values: readonly unknown[]) => unknown>> = {
  $sum: (values) => sumOf(values),
  $avg: (values) => (numbersIn(values).length === 0 ? null : sumOf(values) / numbersIn(values).length),
  $min: (values) => valuesIn(values).toSorted(compare)[0] ?? null,
  $max: (values) => valuesIn(values).toSorted(compare).at(-1) ?? null,
};

const valuesIn = (values: readonly unknown[]) => values.filter((value) => value !== undefined && value !== null);
const numbersIn = (values: readonly unknown[]) => values.filter((value) => typeof value === 'number');
const sumOf = (values: readonly unknown[]) => numbersIn(values).reduce((sum, value) => sum + value, 0);

function grouped(rows: readonly Fields[], asked: unknown): readonly Fields[] {
  const { _id, ...measures } = asked as Readonly<Record<string, Fields>>;
  const parts = Object.entries(measures).map(([name, measure]) => {
    const [operator = '', ...others] = Object.keys(measure);
    const accumulate = accumulators[operator];
    if (accumulate === undefined || others.length > 0) throw unknown(measure);
    return { name, accumulate, value: measure[operator] };
  });
  const values = Object.fromEntries(parts.map(({ name, value }) => [name, value]));
  // The key is stored as `key` first, because `_id` would be a field of a document.
  const judged = withFields(
    rows.map((row) => ({ row })),
    { key: below(_id), ...(below(values) as Fields) },
  );
  const groups = Map.groupBy(judged, ({ key }) => keyText(key));
  return [...groups.values()].map((members) => ({
    _id: members[0]?.['key'] ?? null,
    ...Object.fromEntries(
      parts.map(({ name, accumulate }) => [name, accumulate(members.map((member) => member[name]))]),
    ),
  }));
}

/** Rewrites an expression for documents in a field named `row`. */
function below(expression: unknown): unknown {
  if (typeof expression === 'string' && expression.startsWith('$')) return `$row.${expression.slice(1)}`;
  if (Array.isArray(expression)) return expression.map(below);
  if (typeof expression !== 'object' || expression === null) return expression;
  return Object.fromEntries(Object.entries(expression).map(([name, value]) => [name, below(value)]));
}

const unknown = (stage: unknown) =>
  new Refusal(40324, 'Location40324', `Unrecognized pipeline stage: ${JSON.stringify(stage)?.slice(0, 200)}`);
