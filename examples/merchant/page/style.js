/** Its digest is in the page's headers: no other style is used. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1b1b1b; --muted: #555; --ground: #fff; --line: #d0d0d0; --head: #f4f4f4;
  --link: #0b57d0; --bad: #8a1c1c; --bad-ground: #fdecea; --good: #14532d; --good-ground: #e9f6ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #ececec; --muted: #b0b0b0; --ground: #161616; --line: #444; --head: #222;
    --link: #9ec1ff; --bad: #ffb4ab; --bad-ground: #3a1512; --good: #a6e3b4; --good-ground: #12301b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem 1.5rem 3rem; max-width: 80rem;
  font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground);
}
header { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: baseline; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; }
h2 { font-size: 1.15rem; margin: 0 0 0.5rem; }
section { margin: 1.5rem 0; }
section > p { margin: 0 0 0.5rem; max-width: 48rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.muted { color: var(--muted); }
.good, .bad { padding: 0.75rem 1rem; border-left: 0.4rem solid; border-radius: 0.25rem; }
.good { color: var(--good); background: var(--good-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.bad a { color: inherit; }
.bad ul { margin: 0 0 0.5rem; padding-left: 1.25rem; }
.bad p { margin: 0; }
.table { overflow-x: auto; }
.table + p { margin-top: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; }
th { background: var(--head); white-space: nowrap; }
td { overflow-wrap: anywhere; min-width: 6rem; }
.number { font-variant-numeric: tabular-nums; }
pre { margin: 0.5rem 0 0; max-height: 16rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; }
`;
