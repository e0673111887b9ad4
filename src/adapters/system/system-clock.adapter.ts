import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';

@Injectable()
export class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }

  override after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  }
}
