// What a key belongs to before it belongs to the page.

/** Whether the event comes from where one writes: its keys are the writer's. Looks into the control kit's own nodes. */
export function inTextField(event: Event): boolean {
  const [from] = event.composedPath();
  return from instanceof HTMLInputElement || from instanceof HTMLTextAreaElement || (from instanceof HTMLElement && from.isContentEditable);
}
