const megabyte = 1024 * 1024;

export function sizeInWords(bytes: number): string {
  return bytes >= megabyte && bytes % megabyte === 0 ? `${bytes / megabyte} MB` : `${bytes} bytes`;
}

export function timeInWords(ms: number): string {
  return ms >= 1_000 && ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`;
}
