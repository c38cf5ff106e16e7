// Package web serves HTTP for the daemon: an API with JSON, which openapi.json describes, the part of rspamd's HTTP that its clients use for mail,
// figures for monitoring, and a console for people.
//
// Anyone who can connect may have mail judged, and read counters. What changes the model, or shows mail or the words of the model, needs a
// token. Programs send it as "Authorization: Bearer TOKEN", or as rspamd's field Password. A person types it into the console, which then has a
// cookie until that person signs out, the daemon stops, or [sessionTime] is over.
//
// Web pages of other origins can make a browser send requests. A request is refused (guard.go) if it is for a host name that is not ours,
// which prevents DNS rebinding, or if its Origin or Sec-Fetch-Site says that another origin made it. Forms of the console carry a second token,
// bound to the session.
//
// html/template escapes what senders wrote, and invisible characters appear as escapes such as \u202e. The Content-Security-Policy allows
// the style sheet of the server, forms to it and pictures in the page, and nothing else: the console has no script.
package web
