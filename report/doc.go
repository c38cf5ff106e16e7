// Package report renders what is known about trained classifiers as one page of HTML, with plots.
//
// A [Page] is plain data. [Page.WriteHTML] writes the page, and [Page.Plots] returns its plots alone, as SVG and PNG. What
// is empty is left out, so the same page serves for training, comparing, evaluating and tuning:
//
//	page := report.Page{Title: "chaff compare", Models: models, ROC: curves}
//	err := page.WriteHTML(file)
//
// The room computes no figures, reads no files and prints nothing.
//
// # Mail in the page
//
// Terms, subjects and paths come from senders. They are text in the page and nothing else: html/template escapes them, a
// policy in the head of the page (Content-Security-Policy) forbids scripts and whatever would be loaded, and the page has
// neither. Characters that cannot be seen, or that turn the direction of writing, are written as escapes like \u202e, and
// long text is cut. The plots are images (data: addresses), in which nothing can run.
//
// # Plots
//
// They are drawn with the canvases of gonum/plot. Its package plot, which has axes and legends too, is not imported: it
// reads twelve fonts when a program starts, and knows formats that are not needed here, which would make the start of chaff
// 0.7 ms longer for a message that is only to be classified. Axes that suit a filter's errors are drawn here instead.
// Colours are those of M. Okabe and K. Ito: Color Universal Design (2008), which people who see fewer colours can tell
// apart; lines differ in their dashes, too.
//
// The same page gives the same bytes. All functions are safe for concurrent use, and none changes or keeps what it is given.
package report
