/** Different after every start. */
export abstract class ProcessName {
  abstract readonly value: string;
}
