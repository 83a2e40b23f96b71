// How text of a body is shown: it may be long, hold characters that print nothing, or turn the line around.

const MAX_SHOWN = 400;

/** Text with every character that prints nothing, or prints elsewhere, as its `\u` escape, and cut. */
export function printable(text: string, most: number = MAX_SHOWN): string {
  const shown = text
    .slice(0, most)
    .replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (character) =>
      [...character.split('')]
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
    );
  return text.length > most ? `${shown}… (${text.length} characters)` : shown;
}

export interface Segment {
  readonly text: string;
  /** Whether `JSON.parse` loses it. */
  readonly isLost: boolean;
}

/** A number's literal, cut where the digits begin that a double doesn't carry. */
export function markLostDigits(literal: string): Segment[] {
  const kept = significantDigits(String(Number(literal)));
  const [mantissa = ''] = literal.split(/e/i);
  let matched = 0;
  let isLeading = true;
  for (const [at, character] of [...mantissa].entries()) {
    if (!/\d/.test(character) || (isLeading && character === '0')) continue;
    isLeading = false;
    if (character !== (kept[matched] ?? '0')) {
      return [
        { text: printable(literal.slice(0, at)), isLost: false },
        { text: printable(literal.slice(at, mantissa.length)), isLost: true },
        { text: literal.slice(mantissa.length), isLost: false },
      ];
    }
    matched += 1;
  }
  return [{ text: printable(literal), isLost: false }];
}

function significantDigits(literal: string): string {
  return literal.replace(/e.*/i, '').replace(/[-.]/g, '').replace(/^0+/, '');
}
