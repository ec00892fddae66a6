// Puts the address of this service into the examples, so that they can be pasted.
for (const place of document.querySelectorAll('.base-url')) place.textContent = location.origin
