// Package report renders the results of experiments as one HTML page with plots.
//
// A [Page] is plain data. [Page.WriteHTML] writes the page. Empty parts are left out, so the
// same page serves for training, comparing, evaluating and explaining. A [Drawing] is a single picture as SVG.
//
//	page := report.Page{Title: "chaff compare", Models: results, Warnings: warnings}
//	err := page.WriteHTML(file)
//
// The package computes no figures, reads no files and prints nothing.
//
// # Mail in the page
//
// Senders choose terms, subjects and paths. html/template escapes them, and the page's Content-Security-Policy forbids scripts
// and external resources. Invisible characters and characters that change the direction of text appear as escapes such as
// \u202e. Long text is cut. Plots are images in data: addresses, where scripts do not run.
//
// # Plots
//
// gonum/plot draws the plots, with the Liberation fonts that it embeds. The colours are those of M. Okabe and K. Ito: Color
// Universal Design (2008), which are distinct for people with colour vision deficiency. Lines differ in their dashes, too.
//
// A page always gives the same bytes. All functions are safe for concurrent use and leave their arguments unchanged, except that
// a [Plot] serves one goroutine at a time.
package report
