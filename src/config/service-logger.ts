import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { logLevels } from './environment.js';

const ofNest = ['InstanceLoader', 'NestFactory', 'NestApplication', 'RoutesResolver', 'RouterExplorer'];

const ofFailedStart = ['ExceptionHandler', 'NestApplication'];

export class ServiceLogger extends ConsoleLogger {
  constructor() {
    super({ json: !process.stdout.isTTY, logLevels: ['fatal', 'error', 'warn', 'log'] });
  }

  level(least: (typeof logLevels)[number]): void {
    const levels: LogLevel[] = ['fatal', ...logLevels.slice(0, logLevels.indexOf(least) + 1)];
    this.setLogLevels(levels);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    if (!ofFailedStart.includes(String(rest.at(-1))) || this.isLevelEnabled('debug')) super.error(message, ...rest);
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!ofNest.includes(String(rest.at(-1)))) super.log(message, ...rest);
  }
}
