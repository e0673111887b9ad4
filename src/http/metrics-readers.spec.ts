import { expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { readEnvironment } from '../config/environment.js';
import { mayReadMetrics } from './metrics-readers.js';

const reads = (remoteAddress: string) => {
  const request = { headers: {}, raw: { socket: { remoteAddress } } } as FastifyRequest;
  return () => mayReadMetrics(request, readEnvironment({}));
};

it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('%s is on this machine', (address) => {
  expect(reads(address)).not.toThrow();
});

it.each(['10.0.0.1', '::ffff:10.0.0.1', '192.0.2.1', 'fe80::1', ''])('%s is not on this machine', (address) => {
  expect(reads(address)).toThrow('METRICS_TOKEN');
});
