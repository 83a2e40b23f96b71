import type { NotificationType } from 'payment-notifications';
import { type Inspection, inspectBody } from 'payment-notifications/inspect';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { AtAGlance } from './AtAGlance';
import {
  type Archive,
  type ArchiveState,
  type Entry,
  outcomeIn,
  type Relations,
  readArchive,
} from './archive';
import { BodyComparison } from './BodyComparison';
import { BodyList } from './BodyList';
import { CopyAs } from './CopyAs';
import { CopyButton } from './CopyButton';
import { Fields } from './Fields';
import { megabytes, nameOf, readFile } from './file';
import { outcomeOf } from './outcome';
import { Policy } from './Policy';
import { type InspectorProps, QUICK } from './props';
import { Remarks } from './Remarks';
import { type Body, isUtf8, type Reading, read, textOf } from './reading';
import { fromFragment, toFragment } from './share';
import { Verdict } from './Verdict';

/** A hostile body may have thousands of fields. */
const PAGE = 50;
/** More text would make the box slow. */
const MAX_IN_BOX = 256 * 1024;

/** As in inspector.css. */
const PHONE = '(max-width: 640px)';

const PLAIN = { rows: 10, spellcheck: false, autocomplete: 'off', autocapitalize: 'off' } as const;

const LINK_NOTE =
  'The link, the address bar and the history of your browser now contain the body, after the #. Browsers send that part to no server, but anyone who has the link has the body.';

const TYPES = {
  '': 'both',
  'deposit.received': 'deposits',
  'withdrawal.broadcast': 'withdrawals',
} as const;

/** What is looked at. */
interface Source {
  /** The text in the box; empty if it is too long for the box. */
  readonly text: string;
  /** The text that was put into the box, before somebody edited it. */
  readonly given: string;
  /** The bytes of a file, a link or a long text; null once somebody edits the text. */
  readonly bytes: Uint8Array | null;
  /** Of a file, or what else the bytes are; empty while they are in the box. */
  readonly name: string;
  /** The ID of the sample that was put into the box; empty for anything else. */
  readonly sample: string;
  readonly notice: string;
  /** Whether the address bar may have the body. */
  readonly isLinked: boolean;
  /** The expected type; empty for both. */
  readonly as: keyof typeof TYPES;
}

/** The body of a list that is looked at. */
interface Picked {
  readonly reading: Reading;
  readonly entry: Entry;
  /** The filter of the list that it was picked from. */
  readonly filter: string;
}

const FIRST: keyof typeof QUICK = 'deposit-received/sample';

const NOTHING: Source = {
  text: '',
  given: '',
  bytes: null,
  name: '',
  sample: '',
  notice: '',
  isLinked: false,
  as: '',
};

export function Inspector({ sampleGroups, meanings }: InspectorProps): VNode {
  const [source, setSource] = useState({ ...NOTHING, isLinked: true });
  /** What Undo brings back. */
  const [previous, setPrevious] = useState<Source | null>(null);
  const [progress, setProgress] = useState<{ reading: Reading; state: ArchiveState } | null>(null);
  const [picked, setPicked] = useState<Picked | null>(null);
  const [filter, setFilter] = useState('');
  const [shown, setShown] = useState(PAGE);
  const [target, setTarget] = useState<{ name: string } | null>(null);
  /** A second body, to compare; null while its box is hidden. */
  const [second, setSecond] = useState<string | null>(null);
  const archive = useRef<Archive | null>(null);
  /** Whether there is another body, which support wants to read about. */
  const isNew = useRef(false);
  const answer = useRef<HTMLDivElement>(null);
  const results = useRef<HTMLDivElement>(null);
  const policy = useRef<HTMLElement>(null);

  const { text, bytes, name, notice, isLinked, as } = source;
  const sample = text === source.given ? source.sample : '';
  const isLong = bytes !== null && text === '';
  const asType: NotificationType | undefined = as === '' ? undefined : as;
  const reading = useMemo(() => read(bytes ?? text), [bytes, text]);
  const state = progress?.reading === reading ? progress.state : null;
  // After a key in the filter, what was picked stays until the list is filtered.
  const isPicked = picked?.reading === reading && picked.filter === state?.filter;
  const entry = isPicked ? picked.entry : (state?.hits[0] ?? null);
  // A sample is a body, even if nobody would take it for one.
  const isOne = reading.kind === 'one' || (reading.kind === 'other' && sample !== '');
  const body: Body | null = isOne ? reading.body : (entry?.body ?? null);
  const inspection = useMemo(
    () => (body === null ? null : inspectBody(body, { as: asType })),
    [body, asType],
  );
  const secondInspection = useMemo(
    () => (second ? inspectBody(second, { as: asType }) : null),
    [second, asType],
  );

  // Before the page is drawn, so that a short list is complete when it appears.
  useLayoutEffect(() => {
    if (reading.kind !== 'several') return;
    archive.current = readArchive(reading.pieces, asType, filter, (state) =>
      setProgress({ reading, state }),
    );
    return archive.current.stop;
  }, [reading, asType]);

  useEffect(() => setShown(PAGE), [body]);

  // On a phone, what it says would be below the box and the buttons.
  useEffect(() => {
    const { current: element } = answer;
    const isListed = reading.kind !== 'several' || state !== null;
    if (!isNew.current || element === null || !isListed) return;
    isNew.current = false;
    if (!matchMedia(PHONE).matches) return;
    if (element.getBoundingClientRect().bottom > innerHeight) element.scrollIntoView();
  }, [source, state === null]);

  // The address bar is left unchanged, because it may contain a body.
  useEffect(() => {
    if (target === null) return;
    const rows = results.current?.querySelectorAll<HTMLElement>('tr[data-field]') ?? [];
    const row = [...rows].find(({ dataset }) => dataset.field === target.name.slice(0, 80));
    row?.scrollIntoView({ block: 'center' });
    row?.focus({ preventScroll: true });
  }, [target]);

  /** Shows another body, after which Undo brings this one back. */
  function replace(next: Partial<Source>): void {
    setSource((current) => {
      if (current.text !== '' || current.bytes !== null) setPrevious(current);
      return { ...NOTHING, as: current.as, given: next.text ?? '', ...next };
    });
    setFilter('');
    isNew.current = next.text !== undefined || next.bytes !== undefined;
  }

  function undo(): void {
    if (previous === null) return;
    setPrevious(source);
    setSource({ ...previous, isLinked: false });
  }

  function note(words: string): void {
    setSource((current) => ({ ...current, notice: words }));
  }

  function showText(given: string, about: Partial<Source> = {}): void {
    if (given.length <= MAX_IN_BOX) replace({ text: given, ...about });
    else showBytes(new TextEncoder().encode(given), 'The pasted text');
  }

  function showBytes(data: Uint8Array, name: string, about: Partial<Source> = {}): void {
    if (data.length > MAX_IN_BOX) {
      replace({ bytes: data, name, ...about });
      return;
    }
    // The parser should see a byte-order mark.
    const words = isUtf8(data)
      ? ''
      : 'These bytes are not UTF-8. The text has a � for each character that could not be read.';
    replace({ text: textOf(data), bytes: data, notice: words, ...about });
  }

  function pick(id: string): void {
    for (const { samples } of sampleGroups) {
      const found = samples.find((candidate) => candidate.id === id);
      if (found) replace({ text: found.body, sample: id, as: '' });
    }
    // Neither a sample nor the start of the page scrolls.
    isNew.current = false;
  }

  async function open(files: FileList | null | undefined): Promise<void> {
    const file = files?.[0];
    if (!file) return;
    try {
      const data = await readFile(file);
      if (data.length === 0) replace({ notice: `${nameOf(file)} is empty: it has 0 bytes.` });
      else showBytes(data, nameOf(file));
    } catch (error) {
      note((error as Error).message);
    }
  }

  function onPaste(event: ClipboardEvent): void {
    const { target, clipboardData } = event;
    if (target instanceof HTMLElement && target.matches('input, #second')) return;
    if (clipboardData?.files.length) {
      event.preventDefault();
      open(clipboardData.files);
      return;
    }
    const pasted = clipboardData?.getData('text/plain') ?? '';
    if (pasted === '') return;
    if (target instanceof HTMLTextAreaElement) {
      const { selectionStart, selectionEnd, value } = target;
      const isAll = selectionStart === 0 && selectionEnd === value.length;
      const isEdited = text !== source.given || selectionStart !== selectionEnd;
      // The browser pastes into text that somebody edits.
      if (sample === '' && !isAll && isEdited) return;
    }
    event.preventDefault();
    showText(pasted);
  }

  /** The browser's own undo knows what was typed, but not what this page has put into the box. */
  function onKeyDown(event: KeyboardEvent): void {
    const { key, target } = event;
    if (target instanceof HTMLElement && target.matches('input, #second')) return;
    // With Caps Lock, the key is Z.
    const isZ = key.toLowerCase() === 'z' && !event.shiftKey;
    if (!isZ || !(event.ctrlKey || event.metaKey) || previous === null || text !== source.given)
      return;
    event.preventDefault();
    undo();
  }

  async function openLink(): Promise<void> {
    try {
      const shared = await fromFragment(location.hash);
      if (shared === null) return;
      showBytes(shared.body, 'The body of the link', { as: shared.as ?? '', isLinked: true });
    } catch {
      note('This link is damaged. No body could be read from it.');
    }
  }

  async function makeLink(): Promise<void> {
    if (body === null) return;
    const data = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const fragment = await toFragment({ body: data, as: asType });
    history.replaceState(history.state, '', fragment);
    setSource((current) => ({ ...current, isLinked: true }));
    const link = location.href;
    try {
      await navigator.clipboard.writeText(link);
      note(`Link copied (${link.length} characters). ${LINK_NOTE}`);
    } catch {
      note(`Copy the link from the address bar. ${LINK_NOTE}`);
    }
  }

  function jump(name: string): void {
    const index = inspection?.fields.findIndex((field) => field.name === name) ?? -1;
    setShown(Math.max(shown, index + 1));
    setTarget({ name });
  }

  function jumpToPolicy(): void {
    policy.current?.scrollIntoView();
    policy.current?.focus({ preventScroll: true });
  }

  // The listeners are those of the last rendering, because they use its state.
  useEffect(() => {
    const onDragOver = (event: DragEvent) => event.preventDefault();
    const onDrop = (event: DragEvent) => {
      const { dataTransfer } = event;
      if (!dataTransfer?.files.length) return;
      event.preventDefault();
      open(dataTransfer.files);
    };
    window.addEventListener('paste', onPaste);
    window.addEventListener('keydown', onKeyDown);
    window.addEventListener('dragover', onDragOver);
    window.addEventListener('drop', onDrop);
    window.addEventListener('hashchange', openLink);
    return () => {
      window.removeEventListener('paste', onPaste);
      window.removeEventListener('keydown', onKeyDown);
      window.removeEventListener('dragover', onDragOver);
      window.removeEventListener('drop', onDrop);
      window.removeEventListener('hashchange', openLink);
    };
  });

  // A reload must not bring back the body of another customer.
  useEffect(() => {
    if (isLinked || !location.hash.startsWith('#1.')) return;
    history.replaceState(history.state, '', location.pathname + location.search);
  }, [source]);

  useEffect(() => {
    if (location.hash === '') pick(FIRST);
    else openLink();
    performance.mark('inspector-ready');
  }, []);

  // A key of the filter seldom changes the body below the list.
  const details = useMemo(
    () =>
      inspection &&
      body !== null && (
        <div ref={results} class="results">
          <Remarks inspection={inspection} onJump={jump} />
          <Identifiers inspection={inspection} />
          {inspection.verdict !== 'refused' && <AtAGlance inspection={inspection} />}
          <Fields
            inspection={inspection}
            meanings={meanings}
            shown={shown}
            onMore={() => setShown(shown + 1000)}
          />
          <CopyAs body={body} as={asType} inspection={inspection} />
        </div>
      ),
    [inspection, body, shown, meanings, asType],
  );
  const without =
    reading.kind === 'other'
      ? `No callback body was found in this text. It looks like ${reading.likeness}.`
      : state?.isDone && state.filter.trim() !== ''
        ? 'No line matches the filter.'
        : 'No body yet.';

  return (
    <>
      <button type="button" class="jump" onClick={jumpToPolicy}>
        Why nothing can leave the page
      </button>
      <div class="input">
        <div class="bodies">
          <label>
            Paste a body, a line of a log, or several bodies
            <textarea
              id="body"
              {...PLAIN}
              rows={isLong ? 2 : PLAIN.rows}
              placeholder={isLong ? `${name}: ${megabytes(bytes.length)}` : ''}
              value={text}
              onInput={({ currentTarget: { value } }) =>
                setSource({
                  ...NOTHING,
                  as,
                  given: source.given,
                  sample: source.sample,
                  text: value,
                })
              }
            />
          </label>
          {second !== null && (
            <label>
              Second body to compare, such as a redelivery of the first
              <textarea
                id="second"
                {...PLAIN}
                value={second}
                onInput={({ currentTarget: { value } }) => setSecond(value)}
              />
            </label>
          )}
        </div>
        <div class="tools">
          <button
            type="button"
            disabled={reading.kind === 'nothing'}
            onClick={() => replace({ as: '' })}
          >
            Clear
          </button>
          <button type="button" disabled={previous === null} onClick={undo}>
            Undo
          </button>
          <label class="file">
            <span class="face">Open a file</span>
            <input
              type="file"
              onChange={async ({ currentTarget }) => {
                await open(currentTarget.files);
                currentTarget.value = '';
              }}
            />
          </label>
          <button
            type="button"
            disabled={inspection === null}
            onClick={() => setSecond(second === null ? '' : null)}
          >
            {second === null ? 'Compare' : 'Stop comparing'}
          </button>
          <button
            type="button"
            title="Puts the body into the address bar"
            disabled={inspection === null}
            onClick={makeLink}
          >
            Make a link
          </button>
        </div>
        <div class="tools">
          <span class="quick">
            Samples
            {Object.entries(QUICK).map(([id, label]) => (
              <button key={id} type="button" onClick={() => pick(id)}>
                {label}
              </button>
            ))}
          </span>
          {sampleGroups.length > 1 && (
            <label class="select">
              <span>All</span>
              <select value={sample} onChange={({ currentTarget }) => pick(currentTarget.value)}>
                <option value="">…</option>
                {sampleGroups.map(({ label, samples }) => (
                  <optgroup key={label} label={label}>
                    {samples.map(({ id, shows }) => (
                      <option key={id} value={id}>
                        {shows}
                      </option>
                    ))}
                  </optgroup>
                ))}
              </select>
            </label>
          )}
        </div>
        <fieldset>
          <legend>The endpoint receives</legend>
          {Object.entries(TYPES).map(([type, label]) => (
            <label key={type}>
              <input
                type="radio"
                name="as"
                value={type}
                checked={as === type}
                onChange={() => setSource({ ...source, as: type as Source['as'] })}
              />{' '}
              {label}
            </label>
          ))}
        </fieldset>
      </div>

      <p class="notice" role="status">
        {notice}
      </p>
      <div ref={answer} class="answer">
        {state !== null && (
          <BodyList
            state={state}
            picked={entry}
            filter={filter}
            onPick={(entry) => {
              setPicked({ reading, entry, filter: state.filter });
              setSource((current) => ({ ...current, isLinked: false }));
            }}
            onFilter={(wanted) => {
              setFilter(wanted);
              setSource((current) => ({ ...current, isLinked: false }));
              archive.current?.filter(wanted);
            }}
          />
        )}
        {inspection === null ? (
          <p class="verdict" role="status">
            {without}
          </p>
        ) : (
          <Verdict
            inspection={inspection}
            outcome={entry && state ? outcomeIn(entry, state.relations) : outcomeOf(inspection)}
            place={placeOf(reading, entry, state?.relations)}
            isSample={sample !== ''}
          />
        )}
      </div>
      {inspection && secondInspection && (
        <BodyComparison one={inspection} other={secondInspection} />
      )}
      {details}
      <Policy section={policy} />
    </>
  );
}

function Identifiers({ inspection }: { readonly inspection: Inspection }): VNode | null {
  const { idempotencyKey: key, reference } = inspection;
  const identifiers = Object.entries({
    ...(key === null ? {} : { 'idempotency key': key }),
    ...reference,
  });
  if (identifiers.length === 0) return null;
  return (
    <section aria-labelledby="identifiers">
      <h2 id="identifiers">Identifiers</h2>
      <dl class="identifiers">
        {identifiers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <CopyButton text={value} what={name} /> <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Where the body is, and what it has to do with others. */
function placeOf(reading: Reading, entry: Entry | null, relations?: Relations): string {
  if (entry !== null) {
    const related = relations?.get(entry.id) ?? [];
    return [`Line ${entry.line}`, ...related.map(({ text }) => text)].join(', ');
  }
  return reading.kind === 'one' ? reading.place : '';
}
