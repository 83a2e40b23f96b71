/** Lets the boxes of a page be ticked; this browser remembers them, by their texts. */
export function restoreTasks(): void {
  for (const box of document.querySelectorAll<HTMLInputElement>('.task input')) {
    const key = `task: ${box.parentElement?.textContent?.trim()}`;
    box.checked = localStorage.getItem(key) !== null;
    box.dataset.kept = '';
    box.onchange = () =>
      box.checked ? localStorage.setItem(key, 'done') : localStorage.removeItem(key);
  }
}
