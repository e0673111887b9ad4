import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { brokerErrorIn, isFinal, typeIn } from './broker-errors.js';

const require = createRequire(import.meta.url);
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as { createErrorFromCode(code: number): Error };
const errors = require('kafkajs/src/errors') as Readonly<Record<string, new (...given: readonly unknown[]) => Error>>;
const made = (name: string, ...given: readonly unknown[]): Error => {
  const Kind = errors[name];
  if (Kind === undefined) throw new Error(`kafkajs has no ${name}.`);
  return new Kind(...given);
};

const refusedTopic = (code: number) =>
  made('KafkaJSAggregateError', 'Topic creation errors', [
    made('KafkaJSCreateTopicError', createErrorFromCode(code), 'countersign.events'),
  ]);
const givenUp = (error: Error) =>
  made('KafkaJSNumberOfRetriesExceeded', error, { retryCount: 4, retryTime: 2_000, cause: error });

describe('an error of a broker about a topic', () => {
  it.each([
    ['REQUEST_TIMED_OUT', 7],
    ['BROKER_NOT_AVAILABLE', 8],
    ['NOT_CONTROLLER', 41],
    ['INVALID_REPLICATION_FACTOR', 38],
    ['UNKNOWN', -1],
    ['KAFKAJS_UNKNOWN_ERROR_CODE', 89],
  ])('is temporary while brokers start: %s', (type, code) => {
    for (const error of [refusedTopic(code), givenUp(refusedTopic(code))]) {
      const word = brokerErrorIn(error);
      expect([word?.type, word === undefined || isFinal(word)]).toEqual([type, false]);
    }
  });

  it.each([
    ['TOPIC_AUTHORIZATION_FAILED', 29],
    ['CLUSTER_AUTHORIZATION_FAILED', 31],
    ['INVALID_TOPIC_EXCEPTION', 17],
    ['INVALID_CONFIG', 40],
    ['POLICY_VIOLATION', 44],
  ])('needs an operator: %s', (type, code) => {
    for (const error of [refusedTopic(code), givenUp(refusedTopic(code))]) {
      const word = brokerErrorIn(error);
      expect([word?.type, word !== undefined && isFinal(word)]).toEqual([type, true]);
    }
  });

  it('is found in errors of the first and the last attempt', () => {
    const unknownTopic = createErrorFromCode(3);
    expect([typeIn(unknownTopic), typeIn(givenUp(unknownTopic))]).toEqual(Array(2).fill('UNKNOWN_TOPIC_OR_PARTITION'));
    expect([typeIn(new Error('connect ECONNREFUSED')), typeIn('odd'), typeIn(undefined)]).toEqual(
      Array(3).fill(undefined),
    );
  });
});
