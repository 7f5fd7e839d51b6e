// Passkeys: a form with data-passkey asks the browser for one, puts the answer into its field and goes out.

const UNSUPPORTED = said("Passkeys need https and a host name, or http://localhost. This browser offers none here.");
const FAILED = said("No passkey was used. Try again, or sign in another way.");

function optionsOf(name) {
  return JSON.parse(document.getElementById("js_data").textContent)[name].publicKey;
}

async function create(form) {
  const options = optionsOf("creation_options");
  const alone = form.elements.passwordless.checked;
  options.authenticatorSelection = {
    ...options.authenticatorSelection,
    residentKey: alone ? "required" : "discouraged",
    requireResidentKey: alone,
    ...(alone ? { userVerification: "required" } : {}),
  };
  return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
}

async function use(options) {
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
}

async function signIn(form) {
  const answer = await fetch(form.action, { headers: { accept: "application/json" } });
  return use((await answer.json()).request_options.publicKey);
}

const ways = { add: create, use: () => use(optionsOf("request_options")), login: signIn };

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = form.querySelector("[data-passkey-problem]");
    problem.hidden = true;
    try {
      if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) throw new TypeError(UNSUPPORTED);
      const credential = await ways[form.dataset.passkey](form);
      form.elements.credential.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch (error) {
      const unsupported = error.message === UNSUPPORTED || error.name === "SecurityError"; // as of a bare IP address
      problem.textContent = unsupported ? UNSUPPORTED : FAILED;
      problem.hidden = false;
    }
  });
}
