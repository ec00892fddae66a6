// The examples name the service that this page came from, ready to be pasted.
for (const place of document.querySelectorAll('.base-url')) place.textContent = location.origin
