// That it links is the test: no two layers define one name.
int main() {}
