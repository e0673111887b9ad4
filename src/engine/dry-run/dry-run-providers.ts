import type { FactoryProvider, Provider, ValueProvider } from '@nestjs/common';
import { dryRunPort } from './dry-run-port.js';
import { type DryRunPort, dryRunPorts } from './port-behaviours.js';

export function dryRunProviders(providers: readonly Provider[]): readonly Provider[] {
  return providers.map((provider) => {
    const row = 'provide' in provider ? dryRunPorts.find(({ port }) => port === provider.provide) : undefined;
    if (row === undefined) return provider;
    if (isFactory(provider))
      return { ...provider, useFactory: (...args: unknown[]) => tried(row, make(provider, args)) };
    return isValue(provider) ? { ...provider, useValue: tried(row, provider.useValue as object) } : provider;
  });
}

const isFactory = (provider: Provider): provider is FactoryProvider<object> => 'useFactory' in provider;
const isValue = (provider: Provider): provider is ValueProvider => 'useValue' in provider;

const make = ({ useFactory }: FactoryProvider<object>, args: unknown[]): unknown => useFactory(...args);

function tried({ ways }: DryRunPort, made: unknown): unknown {
  return made instanceof Promise
    ? made.then((port: object) => dryRunPort(port, ways))
    : dryRunPort(made as object, ways);
}
