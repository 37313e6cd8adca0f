// The language of the page: the host puts the texts of its language pack into the page, where there is one. Entries import this before any module that has texts of its own.
import { textsId } from '../shared/pageTexts';
import { speak } from './model/language';

const texts = document.getElementById(textsId)?.textContent;
if (texts !== undefined) speak(texts);
