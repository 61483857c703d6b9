/** Which cases of the contract a run leaves out; JUnit's launcher finds it as a service. */
@NullMarked
package io.fairlead.testkit.selection;

import org.jspecify.annotations.NullMarked;
